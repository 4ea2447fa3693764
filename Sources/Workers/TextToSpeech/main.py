"""The text-to-speech worker: clauses and sentences in, samples out, one request at a time."""

import argparse
import hashlib
import json
import os
import signal
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from frames import Channel
from inbox import Inbox

MAXIMUM_CHARACTERS = 2000
CHUNK_BYTES = 9600  # 0.2 s
VOICES = ("", "heart")


class StartFailure(Exception):
    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


class Refused(Exception):
    """A request that cannot be carried out as it is."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def verify(models, pins):
    """Every file of the voice is the one set-up pinned; returns the licence."""
    wanted = [p for p in json.loads(pins.read_text())["files"] if p["use"] == "text-to-speech"]
    for pin in wanted:
        path = models / pin["name"]
        try:
            found = hashlib.sha256(path.read_bytes()).hexdigest()
        except OSError as trouble:
            message = f"The model file {path} cannot be read; run `make setup`."
            raise StartFailure("model_missing", message) from trouble
        if found != pin["sha256"]:
            message = (
                f"The model file {path} is not the one it should be (SHA-256 differs); delete it "
                "and run `make setup`."
            )
            raise StartFailure("model_corrupt", message)
    return wanted[0]["licence"]


def load(arguments):
    pins = json.loads(arguments.pins.read_text())
    archives = [pins["archives"][key] for key in pins["python"]["archives"]]
    wheels = [str(arguments.python / f"{a['package']}-{a['version']}") for a in archives]
    # The voice is a package of its own, model and program together.
    sys.path[1:1] = [*wheels, str(arguments.models)]
    try:
        from speech import Speech
    except ImportError as trouble:
        message = f"A Python package of the voice is missing ({trouble}); run `make setup`."
        raise StartFailure("backend_missing", message) from trouble
    try:
        speech = Speech(arguments.threads)
        for _ in speech.sentences("Hello, this is a warm-up.", 1.0):
            pass
    except Exception as trouble:
        raise StartFailure("model_corrupt", f"The voice cannot be loaded: {trouble}") from trouble
    return speech


def checked(message):
    text, voice, speed = message.get("text"), message.get("voice") or "", message.get("speed", 1.0)
    if not isinstance(text, str) or len(text) > MAXIMUM_CHARACTERS:
        limit = f"text must be text of at most {MAXIMUM_CHARACTERS} characters."
        raise Refused("bad_request", limit)
    if voice not in VOICES:
        raise Refused("unknown_voice", f'The voice here is "heart"; "{voice}" is not installed.')
    if not isinstance(speed, (int, float)) or not 0.5 <= speed <= 2.0:
        raise Refused("bad_request", "speed must be a number from 0.5 to 2.")
    return text, float(speed)


def answer(speech, inbox, channel, request, message):
    text, speed = checked(message)
    samples, lead = 0, None
    for pcm, cut, ends in speech.sentences(text, speed):
        if inbox.stop:
            return
        channel.text(request, json.dumps(ends).encode())
        lead = cut if lead is None else lead
        samples += len(pcm) // 2
        for at in range(0, len(pcm), CHUNK_BYTES):
            channel.audio(request, pcm[at : at + CHUNK_BYTES])
    channel.control(
        request,
        type="result",
        audio_ms=round(samples * 1000 / speech.rate),
        trimmed_lead_ms=round((lead or 0.0) * 1000),
    )


def serve(channel, arguments):
    begun = time.monotonic()
    inbox = Inbox(sys.stdin.buffer, channel)
    inbox.open()
    licence = verify(arguments.models, arguments.pins)
    speech = load(arguments)
    channel.control(
        0,
        type="ready",
        role="tts",
        name="hibari-heart",
        licence=licence,
        rate=speech.rate,
        threads=arguments.threads,
        load_ms=round((time.monotonic() - begun) * 1000),
    )
    while True:
        request, message, _ = inbox.next()
        try:
            answer(speech, inbox, channel, request, message)
        except Refused as refused:
            channel.error(request, refused.code, str(refused))
        except Exception as trouble:  # one sentence must not take the voice away
            channel.error(request, "engine_failed", f"The voice failed: {trouble}")
        inbox.finished()


def main():
    parser = argparse.ArgumentParser(prog="voice-tts")
    parser.add_argument("--models", type=Path, required=True)
    parser.add_argument("--python", type=Path, required=True, help="unzipped wheels")
    parser.add_argument("--pins", type=Path, required=True, help="models.json")
    parser.add_argument("--threads", type=int, default=max(1, (os.cpu_count() or 2) - 1))
    arguments = parser.parse_args()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # interrupts are the router's
    sys.setswitchinterval(0.002)  # a cancel must get its turn during work
    channel = Channel(sys.stdout.fileno())
    # What a package prints must not get between the frames.
    sys.stdout = sys.stderr
    try:
        serve(channel, arguments)
    except StartFailure as failure:
        channel.error(0, failure.code, str(failure))
        os._exit(1)


if __name__ == "__main__":
    main()
