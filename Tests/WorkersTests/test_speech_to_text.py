"""The recogniser, asked through its pipes; a sentence of the voice worker is its input."""

import struct
import unittest
from pathlib import Path

from worker_client import AUDIO, Worker, resampled

QUESTION = "What is the capital of France?"
LONG = (
    "The weather tomorrow morning will be sunny, with a high of twenty two degrees. "
    "Your order left the warehouse yesterday and should arrive on Thursday afternoon."
)
LIBRIVOX = Path("/usr/share/pocketsphinx/test/data/librivox")
READ_ALOUD = "he might even have been made amiable himself"


def spoken(*sentences):
    """Each sentence as 16 kHz samples."""
    with Worker("tts", "--threads", 1) as voice:
        voice.ready()
        sounds = [voice.finish(voice.begin(text=s), wanted=AUDIO)[1] for s in sentences]
        return [resampled(sound, 24000, 16000) for sound in sounds]


def words(text):
    return "".join(c for c in text.lower() if c.isalnum() or c == " ").split()


class SpeechToTextTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.question, cls.long = spoken(QUESTION, LONG)
        cls.worker = Worker("stt", "--threads", 1)
        cls.addClassCleanup(cls.worker.close)
        cls.greeting = cls.worker.ready()

    def hear(self, pcm, piece=640):
        """Sends an utterance in pieces of 20 ms, as it would come from a call."""
        request = self.worker.begin()
        for at in range(0, len(pcm), piece):
            self.worker.send(AUDIO, request, pcm[at : at + piece])
        self.worker.message(request, type="end")
        return request

    def result(self, pcm):
        return self.worker.finish(self.hear(pcm))[0]

    def test_says_what_it_is_when_ready(self):
        self.assertEqual(self.greeting["role"], "stt")
        self.assertEqual(self.greeting["rate"], 16000)
        self.assertEqual(self.greeting["licence"], "MIT")

    def test_writes_down_a_spoken_question(self):
        self.assertEqual(words(self.result(self.question)["text"]), words(QUESTION))

    def test_writes_down_a_person_reading(self):
        pcm = (LIBRIVOX / "sense_and_sensibility_01_austen_64kb-0930.wav").read_bytes()[44:]
        self.assertEqual(" ".join(words(self.result(pcm)["text"])), READ_ALOUD)

    def test_hears_nothing_in_silence_and_in_noise(self):
        noise = struct.pack("<16000h", *[(i * 7919 % 601) - 300 for i in range(16000)])
        for pcm in (b"", bytes(640), bytes(32000), noise):
            self.assertEqual(self.result(pcm)["text"], "")

    def test_cancel_in_mid_decode_is_acknowledged_at_once_and_the_next_request_is_right(self):
        for _ in range(5):
            request = self.hear(self.long)
            self.worker.silent(0.03)  # now it decodes
            seconds, before = self.worker.cancel(request)
            self.assertLess(seconds, 0.05)
            self.assertEqual(before, [])
            self.assertEqual(words(self.result(self.question)["text"]), words(QUESTION))

    def test_cancel_before_the_end_forgets_the_utterance(self):
        request = self.worker.begin()
        self.worker.send(AUDIO, request, self.question)
        self.worker.cancel(request)
        self.worker.send(AUDIO, request, self.question)
        self.worker.message(request, type="end")
        self.assertEqual(words(self.result(self.question)["text"]), words(QUESTION))

    def test_an_utterance_of_more_than_two_minutes_is_refused(self):
        request = self.worker.begin()
        for _ in range(121):
            self.worker.send(AUDIO, request, bytes(32000))
        self.worker.message(request, type="end")
        message, _ = self.worker.finish(request)
        self.assertEqual(message["code"], "audio_too_long")
        self.assertEqual(self.result(bytes(32000))["text"], "")

    def test_answers_requests_in_order_and_refuses_the_seventeenth(self):
        requests = [self.worker.begin() for _ in range(17)]
        message, _ = self.worker.finish(requests[16])
        self.assertEqual(message["code"], "busy")
        for request in requests[:16]:
            self.worker.message(request, type="end")
        for request in requests[:16]:
            self.assertEqual(self.worker.finish(request)[0]["text"], "")


if __name__ == "__main__":
    unittest.main()
