"""Talks to a real worker over its pipes, as the router does."""

import json
import os
import queue
import struct
import subprocess
import threading
import time
from pathlib import Path

CONTROL, AUDIO, TEXT = 1, 2, 3
PATIENCE_SECONDS = 60  # bound of a hang, not a claim about speed


def cache():
    given = os.environ.get("VOICE_CACHE")
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(given) if given else Path(base) / "voice"


def engines():
    return cache() / "engines" / "current"


class Worker:
    """One worker process. Frames arrive on a thread, each with the moment it came."""

    def __init__(self, role, *options, environment=None):
        program = engines() / "bin" / f"voice-{role}"
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        variables = {**os.environ, **(environment or {})}
        self.process = subprocess.Popen([program, *map(str, options)], env=variables, **pipes)
        self.frames = queue.Queue()
        self.log = []
        readers = (self._read, self._drain)
        self.threads = [threading.Thread(target=reader, daemon=True) for reader in readers]
        for thread in self.threads:
            thread.start()
        self.number = 0

    def __enter__(self):
        return self

    def close(self):
        self.__exit__()

    def __exit__(self, *_):
        self.process.stdin.close()
        try:
            self.process.wait(PATIENCE_SECONDS)
        finally:
            self.process.kill()
            self.process.wait()
            for thread in self.threads:
                thread.join()
            self.process.stdout.close()
            self.process.stderr.close()

    def ready(self):
        message = self.control(self.next())
        if message["type"] != "ready":
            raise AssertionError(f"not ready: {message}")
        return message

    def raw(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, kind, request, payload):
        self.raw(struct.pack("<IBI", 5 + len(payload), kind, request) + payload)

    def message(self, request, **fields):
        self.send(CONTROL, request, json.dumps(fields).encode())

    def begin(self, **fields):
        self.number += 1
        self.message(self.number, type="start", **fields)
        return self.number

    def next(self, timeout=PATIENCE_SECONDS):
        """The next frame as (kind, request, payload, moment)."""
        frame = self.frames.get(timeout=timeout)
        if frame is None:
            raise AssertionError("the worker closed its output: " + "".join(self.log))
        return frame

    def control(self, frame):
        if frame[0] != CONTROL:
            raise AssertionError(f"a control frame was expected, not kind {frame[0]}")
        return json.loads(frame[2])

    def finish(self, request, wanted=TEXT):
        """Everything of a request: (its last message, the payloads of the wanted kind joined)."""
        data = b""
        while True:
            kind, number, payload, _ = self.next()
            if number != request:
                raise AssertionError(f"a frame of request {number} instead of {request}")
            if kind == CONTROL:
                return json.loads(payload), data
            if kind == wanted:
                data += payload

    def cancel(self, request):
        """Cancels and returns (seconds to the acknowledgement, frames that came before it)."""
        sent = time.monotonic()
        self.message(request, type="cancel")
        before = []
        while True:
            frame = self.next()
            if frame[0] == CONTROL and self.control(frame)["type"] == "cancelled":
                return frame[3] - sent, before
            before.append(frame)

    def silent(self, seconds):
        """True when nothing comes for a while."""
        try:
            self.next(timeout=seconds)
        except queue.Empty:
            return True
        return False

    def _read(self):
        stream = self.process.stdout
        while len(head := stream.read(9)) == 9:
            length, kind, request = struct.unpack("<IBI", head)
            self.frames.put((kind, request, stream.read(length - 5), time.monotonic()))
        self.frames.put(None)

    def _drain(self):
        for line in self.process.stderr:
            self.log.append(line.decode(errors="replace"))


def resampled(pcm, source, target):
    """16-bit mono at another rate, by straight lines: good enough for a recogniser's ear."""
    samples = struct.unpack(f"<{len(pcm) // 2}h", pcm)
    count = len(samples) * target // source
    out = []
    for i in range(count):
        at = i * source / target
        left = int(at)
        right = min(left + 1, len(samples) - 1)
        out.append(round(samples[left] + (samples[right] - samples[left]) * (at - left)))
    return struct.pack(f"<{count}h", *out)
