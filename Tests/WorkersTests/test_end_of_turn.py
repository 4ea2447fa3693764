"""The end-of-turn worker, asked through its pipes about the recorded questions."""

import json
import struct
import unittest
import wave

from worker_client import AUDIO, Worker, cache, resampled


def question(name):
    """A recorded question at 16 kHz up to its last voiced sample, and 100 ms of silence."""
    entries = json.loads((cache() / "fixtures" / "questions.json").read_text())
    entry = next(e for e in entries if e["file"] == name)
    with wave.open(str(cache() / "fixtures" / name)) as file:
        pcm = file.readframes(entry["last_voiced_sample_48k"])
    return resampled(pcm, 48000, 16000) + bytes(3200)


class EndOfTurnTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.worker = Worker("turn", "--threads", 1)
        cls.addClassCleanup(cls.worker.close)
        cls.greeting = cls.worker.ready()

    def complete(self, pcm):
        request = self.worker.begin()
        for at in range(0, len(pcm), 32000):
            self.worker.send(AUDIO, request, pcm[at : at + 32000])
        self.worker.message(request, type="end")
        return self.worker.finish(request)[0]["complete"]

    def test_says_what_it_is_when_ready(self):
        self.assertEqual(self.greeting["role"], "turn")
        self.assertEqual(self.greeting["rate"], 16000)
        self.assertEqual(self.greeting["licence"], "BSD-2-Clause")

    def test_finished_questions_are_told_from_one_broken_off(self):
        for name in ("capital-of-france.wav", "days-in-a-week.wav", "largest-ocean.wav"):
            self.assertGreater(self.complete(question(name)), 0.5, name)
        whole = question("order-1042.wav")
        broken_off = whole[: len(whole) * 6 // 10 // 2 * 2]
        self.assertGreater(self.complete(whole), 0.5)
        self.assertLess(self.complete(broken_off + bytes(3200)), 0.5)

    def test_anything_has_an_answer(self):
        noise = struct.pack("<16000h", *[(i * 7919 % 601) - 300 for i in range(16000)])
        for pcm in (b"", bytes(2), bytes(32000), noise, noise * 12):
            self.assertTrue(0 <= self.complete(pcm) <= 1)

    def test_the_last_eight_seconds_count(self):
        asked = question("capital-of-france.wav")
        before = bytes(2 * 16000 * 9)
        self.assertAlmostEqual(self.complete(asked), self.complete(before + asked), places=3)


if __name__ == "__main__":
    unittest.main()
