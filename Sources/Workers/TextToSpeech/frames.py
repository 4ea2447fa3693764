"""The framing between router and worker: `u32 length, u8 kind, u32 request, payload`."""

import json
import os
import struct
import threading

CONTROL, AUDIO, TEXT = 1, 2, 3
OVERHEAD = 5
MAXIMUM = 1 << 20


class BrokenFrame(Exception):
    """What came is no frame; the stream cannot be followed any more."""


def read_frame(stream):
    """The next frame as (kind, request, payload); None at the end of the stream."""
    head = stream.read(4 + OVERHEAD)
    if not head:
        return None
    if len(head) < 4 + OVERHEAD:
        raise BrokenFrame("the stream ended inside a frame's head")
    length, kind, request = struct.unpack("<IBI", head)
    if not OVERHEAD <= length <= MAXIMUM:
        raise BrokenFrame(f"a frame says it is {length} bytes long")
    if kind not in (CONTROL, AUDIO, TEXT):
        raise BrokenFrame(f"a frame says it is of kind {kind}")
    payload = stream.read(length - OVERHEAD)
    if len(payload) < length - OVERHEAD:
        raise BrokenFrame("the stream ended inside a frame's payload")
    return kind, request, payload


class Channel:
    """The way to the router. A cancelled request is silenced in the same step that says so."""

    def __init__(self, descriptor):
        self.descriptor = descriptor
        self.lock = threading.Lock()
        self.silenced = set()

    def control(self, request, **message):
        self._send(CONTROL, request, json.dumps(message).encode())

    def audio(self, request, pcm):
        self._send(AUDIO, request, pcm)

    def text(self, request, payload):
        self._send(TEXT, request, payload)

    def error(self, request, code, message):
        self.control(request, type="error", code=code, message=message)

    def acknowledge_cancel(self, request):
        with self.lock:
            self.silenced.add(request)
            self._write(_frame(CONTROL, request, b'{"type":"cancelled"}'))

    def forget(self, request):
        with self.lock:
            self.silenced.discard(request)

    def _send(self, kind, request, payload):
        frame = _frame(kind, request, payload)
        with self.lock:
            if request not in self.silenced:
                self._write(frame)

    def _write(self, data):
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(self.descriptor, view) :]
        except BrokenPipeError:
            os._exit(0)  # nobody listens any more


def _frame(kind, request, payload):
    return struct.pack("<IBI", OVERHEAD + len(payload), kind, request) + payload
