#!/usr/bin/env python3
"""Records what the reference says about a piece of speech, for VoiceActivityTests.

Usage: make-silero-reference.py WHEEL SPEECH_WAV
  WHEEL       the file silero_vad-6.2.3-py3-none-any.whl of PyPI
  SPEECH_WAV  16 kHz mono 16-bit; the committed fixture is made from Debian's pocketsphinx-testdata,
              librivox/sense_and_sensibility_01_austen_64kb-0880.wav (LibriVox, public domain)
Needs: numpy, onnx, onnxruntime (PyPI).

Writes beside itself: silero-reference.wav (the speech, a second of silence, a second of noise) and
silero-reference.json (a probability for each whole window of 512 samples).

The wheel's safetensors file and its ONNX files are different trainings (snakers4/silero-vad#768),
so the reference is the wheel's ONNX graph, run by onnxruntime, with the tensors of the safetensors
file in place of its own.
"""

import io
import json
import pathlib
import struct
import sys
import wave
import zipfile

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper

WINDOW, CONTEXT = 512, 64

# Name in the ONNX graph -> name in the safetensors file.
NAMES = {
    "model.stft.forward_basis_buffer": "stft_conv.weight",
    "model.decoder.decoder.2.weight": "final_conv.weight",
    "model.decoder.decoder.2.bias": "final_conv.bias",
}
for part in ("weight", "bias"):
    for number in range(4):
        NAMES[f"model.encoder.{number}.reparam_conv.{part}"] = f"conv{number + 1}.{part}"
    for side in ("ih", "hh"):
        NAMES[f"model.decoder.rnn.{part}_{side}"] = f"lstm_cell.{part}_{side}"


def tensors(raw):
    length = struct.unpack("<Q", raw[:8])[0]
    data = raw[8 + length :]
    for name, entry in json.loads(raw[8 : 8 + length]).items():
        begin, end = entry["data_offsets"]
        yield name, np.frombuffer(data[begin:end], "<f4").reshape(entry["shape"])


def replace(graph, weights, replaced):
    for tensor in graph.initializer:
        if tensor.name in NAMES:
            shape = numpy_helper.to_array(tensor).shape
            value = weights[NAMES[tensor.name]].reshape(shape)
            tensor.CopyFrom(numpy_helper.from_array(value.copy(), tensor.name))
            replaced.add(tensor.name)
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                replace(attribute.g, weights, replaced)


def main():
    wheel, speech = sys.argv[1:]
    here = pathlib.Path(__file__).parent
    with zipfile.ZipFile(wheel) as archive:
        weights = dict(tensors(archive.read("silero_vad/data/silero_vad_16k.safetensors")))
        model = onnx.load(io.BytesIO(archive.read("silero_vad/data/silero_vad_16k_op15.onnx")))
    replaced = set()
    replace(model.graph, weights, replaced)
    assert replaced == set(NAMES), set(NAMES) - replaced

    with wave.open(speech) as file:
        assert (file.getframerate(), file.getnchannels(), file.getsampwidth()) == (16000, 1, 2)
        voice = np.frombuffer(file.readframes(file.getnframes()), "<i2")
    noise = np.random.default_rng(1).normal(0, 1000, 16000).astype("<i2")
    signal = np.concatenate([voice, np.zeros(16000, "<i2"), noise])

    session = onnxruntime.InferenceSession(model.SerializeToString())
    state = np.zeros((2, 1, 128), np.float32)
    context = np.zeros(CONTEXT, np.float32)
    probabilities = []
    for start in range(0, len(signal) - WINDOW + 1, WINDOW):
        window = signal[start : start + WINDOW].astype(np.float32) / 32768
        joined = np.concatenate([context, window])[None]
        inputs = {"input": joined, "state": state, "sr": np.array(16000, np.int64)}
        probability, state = session.run(None, inputs)
        context = window[-CONTEXT:]
        probabilities.append(round(float(probability.ravel()[0]), 7))

    with wave.open(str(here / "silero-reference.wav"), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16000)
        file.writeframes(signal.tobytes())
    (here / "silero-reference.json").write_text(json.dumps(probabilities) + "\n")


if __name__ == "__main__":
    main()
