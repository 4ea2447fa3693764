"""Reads Whisper as CTranslate2 stores it: `model.bin` and `tokenizer.json`."""

import json
import struct

import numpy as np

# Identifiers of element types in model.bin.
ELEMENT_TYPES = {0: np.float32, 1: np.int8, 2: np.int16, 3: np.int32, 4: np.float16}


class Reader:
    def __init__(self, data):
        self.data = data
        self.at = 0

    def number(self, form):
        (value,) = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize("<" + form)
        return value

    def text(self):
        """A length of 16 bits, then the characters with a zero at the end."""
        return self.block(self.number("H"))[:-1].decode()

    def block(self, count):
        piece = self.data[self.at : self.at + count]
        self.at += count
        return piece


def read_tensors(path):
    """Tensors by name, in the element type they are stored in."""
    reader = Reader(path.read_bytes())
    version = reader.number("I")
    if version != 6:
        raise ValueError(f"{path} has format version {version}; this converter knows 6")
    reader.text()  # the kind of model
    reader.number("I")  # its revision
    tensors = {}
    for _ in range(reader.number("I")):
        name = reader.text()
        shape = [reader.number("I") for _ in range(reader.number("B"))]
        element = ELEMENT_TYPES[reader.number("B")]
        block = reader.block(reader.number("I"))
        tensors[name] = np.frombuffer(block, element).reshape(shape)
    return tensors


def read_tokens(path, count):
    """The first `count` tokens as bytes, in the order of their numbers.

    The tokenizer writes bytes as printable characters: those that are printable in Latin-1 stand
    for themselves, the others for the characters from 256 on, in order.
    """
    own = {*range(33, 127), *range(161, 173), *range(174, 256)}
    others = (byte for byte in range(256) if byte not in own)
    byte_of = {chr(byte): byte for byte in own}
    byte_of.update({chr(256 + i): byte for i, byte in enumerate(others)})
    vocabulary = json.loads(path.read_text(encoding="utf-8"))["model"]["vocab"]
    by_number = {number: token for token, number in vocabulary.items()}
    tokens = (by_number[number] for number in range(count) if number in by_number)
    return [bytes(byte_of[c] for c in t) for t in tokens if all(c in byte_of for c in t)]
