"""Listens for a wake word: samples in, a line whenever it was said.

    voice-wake [--word NAME | --word FILE.json]

Standard input: 16-bit little-endian samples, 16 kHz, mono, without end. Standard output: JSON lines:
{"ready": PHRASE} once, {"heard": SAMPLE} with the count of samples read so far whenever the phrase was
said, and {"error": SENTENCE} before it ends with 1. NAME is a model that microWakeWord brings, FILE the
description of one's own beside its .tflite file. It ends with its input.
"""

import argparse
import json
import os
import signal
import sys
from pathlib import Path

RATE = 16_000
# What a model reads at a time: 10 ms.
PIECE_BYTES = 320
# A phrase is over the bar for half a second; one that was heard counts once (ESPHome waits as long).
REFRACTORY_SAMPLES = 2 * RATE


def say(**line):
    print(json.dumps(line), flush=True)


def fail(sentence):
    say(error=sentence)
    sys.exit(1)


def find_packages(arguments):
    pins = json.loads(arguments.pins.read_text())
    archives = [pins["archives"][key] for key in pins["python"]["archives"]]
    sys.path[1:1] = [str(arguments.python / f"{a['package']}-{a['version']}") for a in archives]


def load(word):
    """The model and its front end."""
    try:
        from pymicro_wakeword import MicroWakeWord, MicroWakeWordFeatures, Model
    except (ImportError, OSError) as trouble:
        fail(f"The wake word's engine is not there ({trouble}); run `make setup`.")
    names = [model.value for model in Model]
    if word in names:
        return MicroWakeWord.from_builtin(Model(word)), MicroWakeWordFeatures()
    if not word.endswith(".json"):
        fail(f"There is no wake word {word}; there are {', '.join(names)}, and any description of a "
             "microWakeWord model of your own (a path that ends in .json).")
    try:
        return MicroWakeWord.from_config(word), MicroWakeWordFeatures()
    except (OSError, KeyError, ValueError) as trouble:
        fail(f"The wake word {word} cannot be read: {trouble}.")


def listen(model, front_end):
    read = quiet_until = 0
    while True:
        piece = sys.stdin.buffer.read(PIECE_BYTES)
        if len(piece) < PIECE_BYTES:
            return
        read += PIECE_BYTES // 2
        for features in front_end.process_streaming(piece):
            if model.process_streaming(features) and read >= quiet_until:
                quiet_until = read + REFRACTORY_SAMPLES
                say(heard=read)


def main():
    parser = argparse.ArgumentParser(prog="voice-wake")
    parser.add_argument("--word", default="hey_jarvis")
    parser.add_argument("--python", type=Path, required=True, help="unzipped wheels")
    parser.add_argument("--pins", type=Path, required=True, help="models.json")
    arguments = parser.parse_args()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # interrupts are the program's that started this
    # The arithmetic libraries would take a thread for each core.
    os.environ["OMP_NUM_THREADS"] = "1"
    find_packages(arguments)
    model, front_end = load(arguments.word)
    say(ready=model.wake_word)
    listen(model, front_end)


if __name__ == "__main__":
    main()
