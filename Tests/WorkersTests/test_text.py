"""What the workers do with text: compiled and run apart from the engines."""

import subprocess
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
WORKERS = HERE.parents[1] / "Sources" / "Workers"
UNITS = ("SpeechToText/Wording.cpp", "LanguageModel/ReplyText.cpp")


class TextTests(unittest.TestCase):
    def test_transcripts_and_replies(self):
        with tempfile.TemporaryDirectory() as directory:
            program = Path(directory) / "wording_and_reply"
            command = ["c++", "-std=c++17", "-fsanitize=address,undefined", "-Wall", "-Werror"]
            command += ["-I", WORKERS, HERE / "wording_and_reply.cpp"]
            command += [*(WORKERS / unit for unit in UNITS), "-o", program]
            subprocess.run(command, check=True)
            run = subprocess.run([program], capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)


if __name__ == "__main__":
    unittest.main()
