"""Converts Whisper from CTranslate2's format to whisper.cpp's: `SOURCE-DIRECTORY TARGET-FILE`.

Runs in a process of its own, with numpy from the wheels of the speaking worker.
"""

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Shape:
    vocabulary: int
    audio_context: int
    text_context: int
    width: int
    audio_layers: int
    text_layers: int


class Conversion:
    """Gives the tensors the names whisper.cpp knows and takes the fused ones apart."""

    def __init__(self, tensors, writer):
        self.tensors = tensors
        self.writer = writer

    def shape(self):
        audio = self.tensors["encoder/position_encodings/encodings"]
        text = self.tensors["decoder/position_encodings/encodings"]
        vocabulary = len(self.tensors["decoder/embeddings/weight"])
        layers = (self._layers("encoder"), self._layers("decoder"))
        return Shape(vocabulary, len(audio), len(text), audio.shape[1], *layers)

    def mel_count(self):
        return self.tensors["encoder/conv1/weight"].shape[1]

    def write(self):
        for part in ("encoder", "decoder"):
            self._one(f"{part}.positional_embedding", f"{part}/position_encodings/encodings")
        for layer in ("conv1", "conv2"):
            self._one(f"encoder.{layer}.weight", f"encoder/{layer}/weight")
            bias = self.tensors[f"encoder/{layer}/bias"]
            self.writer.tensor(f"encoder.{layer}.bias", bias.reshape(-1, 1))
        self._one("decoder.token_embedding.weight", "decoder/embeddings/weight")
        for part in ("encoder", "decoder"):
            for number in range(self._layers(part)):
                self._block(part, number)
        self._norm("encoder.ln_post", "encoder/layer_norm")
        self._norm("decoder.ln", "decoder/layer_norm")

    def _layers(self, part):
        names = {n.split("/")[1] for n in self.tensors if n.startswith(f"{part}/layer_")}
        return len(names - {"layer_norm"})

    def _block(self, part, number):
        source, target = f"{part}/layer_{number}", f"{part}.blocks.{number}"
        self._norm(f"{target}.attn_ln", f"{source}/self_attention/layer_norm")
        self._split(f"{target}.attn", f"{source}/self_attention/linear_0", "query", "key", "value")
        self._split(f"{target}.attn", f"{source}/self_attention/linear_1", "out")
        if part == "decoder":
            self._norm(f"{target}.cross_attn_ln", f"{source}/attention/layer_norm")
            self._split(f"{target}.cross_attn", f"{source}/attention/linear_0", "query")
            self._split(f"{target}.cross_attn", f"{source}/attention/linear_1", "key", "value")
            self._split(f"{target}.cross_attn", f"{source}/attention/linear_2", "out")
        self._norm(f"{target}.mlp_ln", f"{source}/ffn/layer_norm")
        self._split(f"{target}.mlp", f"{source}/ffn/linear_0", "0")
        self._split(f"{target}.mlp", f"{source}/ffn/linear_1", "2")

    def _one(self, target, source):
        self.writer.tensor(target, self.tensors[source])

    def _norm(self, target, source):
        self._one(f"{target}.weight", f"{source}/gamma")
        self._one(f"{target}.bias", f"{source}/beta")

    def _split(self, target, source, *names):
        """One matrix holds several, one below the other. Whisper's keys have no bias."""
        count = len(names)
        weights = self._split_array(f"{source}/weight", count)
        biases = self._split_array(f"{source}/bias", count)
        for name, weight, bias in zip(names, weights, biases):
            self.writer.tensor(f"{target}.{name}.weight", weight)
            if name != "key":
                self.writer.tensor(f"{target}.{name}.bias", bias)

    def _split_array(self, source, count):
        tensor = self.tensors[source]
        rows = len(tensor) // count
        return [tensor[i * rows : (i + 1) * rows] for i in range(count)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--python", type=Path, required=True, help="directory of unzipped wheels")
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    arguments = parser.parse_args()
    sys.path[:0] = [str(Path(__file__).parent), *map(str, arguments.python.glob("numpy-*"))]

    from mel import slaney_filters
    from whisper_ggml import Writer
    from whisper_source import read_tensors, read_tokens

    tensors = read_tensors(arguments.source / "model.bin")
    with open(arguments.target, "wb") as file:
        writer = Writer(file)
        conversion = Conversion(tensors, writer)
        shape = conversion.shape()
        # The English models end one token earlier than the multilingual ones.
        count = 50256 if shape.vocabulary == 51864 else 50257
        tokens = read_tokens(arguments.source / "tokenizer.json", count)
        writer.header(shape, slaney_filters(conversion.mel_count()), tokens)
        conversion.write()


if __name__ == "__main__":
    main()
