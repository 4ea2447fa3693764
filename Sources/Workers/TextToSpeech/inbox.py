"""Requests as they come in, on a thread of their own, so that a cancel is seen during work."""

import json
import os
import sys
import threading
import time
from collections import deque

from frames import AUDIO, CONTROL, BrokenFrame, read_frame

BOUND = 16


class Inbox:
    """The end of the stream ends the process with 0, a broken frame with 2."""

    def __init__(self, stream, channel):
        self.stream = stream
        self.channel = channel
        self.changed = threading.Condition()
        self.ready = deque()
        self.running = None
        self.stop = False

    def open(self):
        threading.Thread(target=self._run, daemon=True).start()

    def next(self):
        """The next request as (number, message, when it came); blocks."""
        with self.changed:
            self.changed.wait_for(lambda: self.ready)
            job = self.ready.popleft()
            self.running = job[0]
            self.stop = False
            return job

    def finished(self):
        with self.changed:
            self.channel.forget(self.running)
            self.running = None

    def _run(self):
        try:
            while frame := read_frame(self.stream):
                self._receive(*frame)
        except BrokenFrame as broken:
            print(f"broken frame: {broken}", file=sys.stderr, flush=True)
            self.channel.error(0, "broken_frame", str(broken))
            os._exit(2)
        os._exit(0)

    def _receive(self, kind, request, payload):
        if kind == AUDIO:
            return  # this worker takes none; an utterance in its place is no reason to die
        message = _message(kind, payload)
        if message["type"] == "start":
            self._begin(request, message)
        elif message["type"] == "cancel":
            self._cancel(request)
        else:
            self.channel.error(request, "bad_request", f"No message is of type {message['type']}.")

    def _begin(self, request, message):
        with self.changed:
            if len(self.ready) >= BOUND:
                text = "Sixteen requests wait already; ask again when one of them is done."
                self.channel.error(request, "busy", text)
            elif request == self.running or any(job[0] == request for job in self.ready):
                self.channel.error(request, "bad_request", "This request number is in use.")
            else:
                self.ready.append((request, message, time.monotonic()))
                self.changed.notify()

    def _cancel(self, request):
        with self.changed:
            self.ready = deque(job for job in self.ready if job[0] != request)
            if request == self.running:
                self.stop = True
            self.channel.acknowledge_cancel(request)
            if request != self.running:
                self.channel.forget(request)


def _message(kind, payload):
    if kind != CONTROL:
        raise BrokenFrame("text frames go from the worker to the router only")
    try:
        message = json.loads(payload)
    except ValueError as trouble:
        raise BrokenFrame(f"a control frame is no JSON ({trouble})") from trouble
    if not isinstance(message, dict) or not isinstance(message.get("type"), str):
        raise BrokenFrame("a control frame is no JSON object with a type")
    return message
