"""The wake word's detector, spoken to by the product's own voice."""

import json
import struct
import subprocess
import unittest
import wave

from worker_client import AUDIO, CONTROL, Worker, cache, engines, resampled

RATE = 16_000
PAUSE = b"\0\0" * RATE


def listen(pcm, word="hey_jarvis"):
    """All lines of the detector about this sound, and how it ended."""
    run = subprocess.run(
        [engines() / "bin" / "voice-wake", "--word", word], input=pcm, capture_output=True, timeout=120)
    return [json.loads(line) for line in run.stdout.splitlines()], run.returncode


class WakeWordTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.voice = Worker("tts", "--threads", 1)
        cls.addClassCleanup(cls.voice.close)
        cls.rate = cls.voice.ready()["rate"]

    def speak(self, text):
        """The sound of the text, 16 kHz, between pauses of a second."""
        self.voice.begin(text=text)
        pcm = b""
        while True:
            kind, _, payload, _ = self.voice.next()
            if kind == CONTROL:
                return PAUSE + resampled(pcm, self.rate, RATE) + PAUSE
            if kind == AUDIO:
                pcm += payload

    def test_the_word_is_heard_once_and_soon(self):
        word = self.speak("Hey Jarvis!")
        for text in ("Hey Jarvis!", "Hey Jarvis! How many days are in a week?"):
            lines, code = listen(self.speak(text))
            self.assertEqual((lines[0], code), ({"ready": "Hey Jarvis"}, 0))
            self.assertEqual(len(lines), 2, lines)
            # The pause behind the word begins a second before the end of it alone.
            late = lines[1]["heard"] - (len(word) // 2 - RATE)
            print(f"{text}: {1000 * late / RATE:.0f} ms after the word's end")
            self.assertLess(late, RATE // 2)

    def test_it_is_heard_again_when_said_again(self):
        lines, _ = listen(self.speak("Hey Jarvis!") * 3)
        self.assertEqual([list(line) for line in lines], [["ready"]] + [["heard"]] * 3)

    def test_nothing_else_is_taken_for_it(self):
        pcm = self.speak("Hey Jacob, travel to Paris. Okay Google. They jar this hay.")
        for question in sorted((cache() / "fixtures").glob("*.wav")):
            with wave.open(str(question)) as clip:
                samples = clip.readframes(clip.getnframes())
                pcm += resampled(samples, clip.getframerate(), RATE) + PAUSE
        print(f"{len(pcm) / 2 / RATE:.0f} s of other speech")
        self.assertGreater(len(pcm), 2 * RATE * 50)
        lines, _ = listen(pcm)
        self.assertEqual(lines, [{"ready": "Hey Jarvis"}])

    def test_a_word_that_is_not_there_is_told_with_those_that_are(self):
        lines, code = listen(b"", "hey_nobody")
        self.assertEqual(code, 1)
        self.assertIn("There is no wake word hey_nobody; there are ", lines[0]["error"])
        self.assertIn("okay_nabu", lines[0]["error"])
        lines, code = listen(b"", "/nowhere/mine.json")
        self.assertEqual(code, 1)
        self.assertIn("/nowhere/mine.json cannot be read", lines[0]["error"])

    def test_half_a_sample_at_the_end_is_no_trouble(self):
        self.assertEqual(listen(struct.pack("<hhb", 1, 2, 3)), ([{"ready": "Hey Jarvis"}], 0))


if __name__ == "__main__":
    unittest.main()
