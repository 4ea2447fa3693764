"""How the workers start, fail to start, and end."""

import os
import shutil
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

from worker_client import AUDIO, CONTROL, PATIENCE_SECONDS, Worker, cache, engines

ROLES = ("stt", "llm", "tts", "turn")
FILES = {
    "stt": "ggml-tiny.en-q8_0.bin",
    "llm": "SmolLM2-135M-Instruct.Q4_1.gguf",
    "tts": "hibari/assets/hibari.onnx",
    "turn": "smart-turn-v3.2-cpu.onnx",
}


class StartAndEndTests(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.models = Path(directory.name)

    def refusal(self, role, *options, environment=None):
        """Starts a worker that cannot work: its error, and its exit code."""
        options = options or ("--models", self.models)
        with Worker(role, *options, environment=environment) as worker:
            frame = worker.next()
            self.assertEqual(frame[:2], (CONTROL, 0))
            return worker.control(frame), worker.process.wait(PATIENCE_SECONDS)

    def test_a_missing_model_file_is_named_with_what_to_do(self):
        for role in ROLES:
            message, code = self.refusal(role)
            self.assertEqual((message["code"], code), ("model_missing", 1), role)
            self.assertIn(str(self.models), message["message"])
            self.assertIn("make setup", message["message"])

    def test_a_corrupt_model_file_is_named_with_what_to_do(self):
        for role in ROLES:
            voice = cache() / "models" / "hibari"
            shutil.copytree(voice, self.models / "hibari", dirs_exist_ok=True)
            file = self.models / FILES[role]
            shutil.copyfile(cache() / "models" / FILES[role], file)
            with open(file, "r+b") as damaged:
                damaged.seek(-4, os.SEEK_END)
                damaged.write(b"ouch")
            message, code = self.refusal(role)
            self.assertEqual((message["code"], code), ("model_corrupt", 1), role)
            self.assertIn(FILES[role], message["message"])

    def test_engines_without_a_variant_for_this_processor_say_so(self):
        copy = self.models / "engines"
        shutil.copytree(engines(), copy, symlinks=True)
        for variant in (copy / "lib").glob("libggml-cpu-*"):
            variant.unlink()
        program = copy / "bin" / "voice-stt"
        command = [program, "--models", cache() / "models"]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        with subprocess.Popen(command, **pipes) as worker:
            said = worker.stdout.read()
        self.assertIn(b"backend_missing", said)
        self.assertEqual(worker.returncode, 1)

    def test_unknown_options_are_refused_by_name(self):
        for role in ("stt", "llm", "turn"):
            message, code = self.refusal(role, "--frobnicate", "1")
            self.assertEqual((message["code"], code), ("bad_option", 1))
            self.assertIn("--frobnicate", message["message"])

    def test_a_backend_of_the_environment_is_not_loaded(self):
        with Worker("stt", environment={"GGML_BACKEND_PATH": "/nonexistent.so"}) as worker:
            worker.ready()

    def test_a_broken_frame_ends_the_worker(self):
        too_long = struct.pack("<IBI", 1 << 30, AUDIO, 1)
        unknown_kind = struct.pack("<IBI", 5, 9, 1)
        no_json = struct.pack("<IBI", 7, CONTROL, 1) + b"{]"
        for role in ROLES:
            for data in (too_long, unknown_kind, no_json):
                with Worker(role) as worker:
                    worker.ready()
                    worker.raw(data)
                    message = worker.control(worker.next())
                    self.assertEqual(message["code"], "broken_frame")
                    self.assertEqual(worker.process.wait(PATIENCE_SECONDS), 2)

    def test_the_end_of_input_ends_the_worker_even_while_it_starts(self):
        for role in ROLES:
            for wait in (False, True):
                with Worker(role) as worker:
                    if wait:
                        worker.ready()
                    worker.process.stdin.close()
                    self.assertEqual(worker.process.wait(PATIENCE_SECONDS), 0)

    def test_cancelling_what_is_unknown_is_acknowledged(self):
        for role in ROLES:
            with Worker(role) as worker:
                worker.ready()
                seconds, before = worker.cancel(4711)
                self.assertLess(seconds, 0.05)
                self.assertEqual(before, [])


if __name__ == "__main__":
    unittest.main()
