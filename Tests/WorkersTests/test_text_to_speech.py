"""The voice, asked through its pipes."""

import json
import struct
import unittest

from worker_client import AUDIO, CONTROL, TEXT, Worker

RATE = 24000
SILENCE = 0.01 * 32767


class TextToSpeechTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.worker = Worker("tts", "--threads", 1)
        cls.addClassCleanup(cls.worker.close)
        cls.greeting = cls.worker.ready()

    def speak(self, text, **fields):
        request = self.worker.begin(text=text, **fields)
        pcm, self.ends = b"", []
        while True:
            kind, number, payload, _ = self.worker.next()
            self.assertEqual(number, request)
            if kind == CONTROL:
                return json.loads(payload), struct.unpack(f"<{len(pcm) // 2}h", pcm)
            if kind == TEXT:
                self.ends += json.loads(payload)
            else:
                pcm += payload

    def test_says_what_it_is_when_ready(self):
        self.assertEqual((self.greeting["role"], self.greeting["rate"]), ("tts", RATE))

    def test_silence_is_cut_to_three_milliseconds_in_front_and_twenty_behind(self):
        message, samples = self.speak("Your order left the warehouse yesterday.")
        loud = [i for i, s in enumerate(samples) if abs(s) > SILENCE]
        self.assertAlmostEqual(loud[0], RATE * 3 // 1000, delta=2)
        self.assertAlmostEqual(len(samples) - loud[-1], RATE // 50, delta=2)
        self.assertGreater(message["trimmed_lead_ms"], 100)
        self.assertAlmostEqual(message["audio_ms"], len(samples) * 1000 / RATE, delta=1)

    def test_tells_where_its_words_end(self):
        """The pause between two sentences lies between their words, and so do the words' own."""
        message, samples = self.speak("Stop. Your order left the warehouse yesterday.")
        self.assertEqual(len(self.ends), 7)
        self.assertEqual(self.ends, sorted(self.ends))
        self.assertAlmostEqual(self.ends[-1], message["audio_ms"], delta=1)
        behind = samples[round((self.ends[0] + 20) * RATE / 1000) :][: RATE // 10]
        self.assertLess(max(map(abs, behind)), SILENCE * 2, "a pause follows the first sentence")
        self.assertGreater(self.ends[1] - self.ends[0], 180)

    def test_speed_changes_the_length(self):
        slow, _ = self.speak("The museum opens at nine.", speed=0.8)
        fast, _ = self.speak("The museum opens at nine.", speed=1.5)
        self.assertGreater(slow["audio_ms"], fast["audio_ms"] * 1.3)

    def test_nothing_to_say_is_no_sound(self):
        for text in ("", "   ", "..."):
            message, samples = self.speak(text)
            self.assertEqual((message["type"], len(samples)), ("result", 0), text)

    def test_what_cannot_be_done_is_refused_by_name(self):
        self.assertEqual(self.speak("Hello", voice="emma")[0]["code"], "unknown_voice")
        self.assertEqual(self.speak("Hello", speed=9)[0]["code"], "bad_request")
        self.assertEqual(self.speak("x" * 3000)[0]["code"], "bad_request")

    def test_cancel_in_mid_speech_is_acknowledged_at_once_and_the_next_request_is_right(self):
        text = "The museum opens at nine in the morning and closes at five. " * 30
        request = self.worker.begin(text=text)
        self.assertEqual(self.worker.next()[0], TEXT)
        self.assertEqual(self.worker.next()[0], AUDIO)
        seconds, _ = self.worker.cancel(request)
        self.assertLess(seconds, 0.05)
        message, samples = self.speak("Hello.")
        self.assertEqual(message["type"], "result")
        self.assertGreater(len(samples), RATE // 5)


if __name__ == "__main__":
    unittest.main()
