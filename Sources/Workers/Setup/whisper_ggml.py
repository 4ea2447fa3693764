"""Writes Whisper as whisper.cpp reads it, matrices in blocks of 32 eight-bit numbers (q8_0)."""

import struct

import numpy as np

MAGIC = 0x67676D6C
FLOAT32, FLOAT16, Q8_0 = 0, 1, 8
FILE_TYPE_Q8_0 = 7
BLOCK = 32
# whisper.cpp wants these in full precision although they are matrices.
EXACT = {
    "encoder.conv1.bias",
    "encoder.conv2.bias",
    "encoder.positional_embedding",
    "decoder.positional_embedding",
}


class Writer:
    def __init__(self, file):
        self.file = file

    def integers(self, *values):
        self.file.write(struct.pack(f"<{len(values)}i", *values))

    def header(self, shape, mels, tokens):
        heads = shape.width // 64
        self.integers(MAGIC, shape.vocabulary, shape.audio_context, shape.width, heads)
        self.integers(shape.audio_layers, shape.text_context, shape.width, heads)
        self.integers(shape.text_layers, len(mels), FILE_TYPE_Q8_0)
        self.integers(*mels.shape)
        self.file.write(mels.tobytes())
        self.integers(len(tokens))
        for token in tokens:
            self.integers(len(token))
            self.file.write(token)

    def tensor(self, name, values):
        values = np.ascontiguousarray(values, dtype=np.float32)
        kind, data = encoded(name, values)
        label = name.encode()
        self.integers(values.ndim, len(label), kind)
        self.integers(*reversed(values.shape))
        self.file.write(label)
        self.file.write(data)


def encoded(name, values):
    if values.ndim < 2 or name in EXACT:
        return FLOAT32, values.tobytes()
    if values.ndim == 2 and values.shape[1] % BLOCK == 0:
        return Q8_0, eight_bit_blocks(values)
    return FLOAT16, values.astype(np.float16).tobytes()


def eight_bit_blocks(values):
    """Per block a half-precision scale, then 32 numbers of one byte."""
    blocks = values.reshape(-1, BLOCK)
    scale = np.abs(blocks).max(axis=1) / 127
    safe = np.where(scale == 0, 1, scale)
    numbers = np.round(blocks / safe[:, None]).clip(-127, 127).astype(np.int8)
    out = np.empty((len(blocks), 2 + BLOCK), np.uint8)
    out[:, :2] = scale.astype(np.float16).view(np.uint8).reshape(-1, 2)
    out[:, 2:] = numbers.view(np.uint8)
    return out.tobytes()
