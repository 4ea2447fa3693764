"""Turns sentences into samples, without the silence around them."""

import numpy as np

# Quieter than this is silence: -40 dB below full scale.
SILENCE = 0.01
# What is left of it in front, where every millisecond is waited for, and behind.
LEAD_SECONDS = 0.003
TAIL_SECONDS = 0.02
# Between sentences of one request, in place of the silence that was cut off.
PAUSE_SECONDS = 0.18


# The voice's network holds a length for every phoneme, in steps of 25 ms; it is no output of its own.
DURATIONS = "/Round_output_0"
STEP_SECONDS = 0.025


class Speech:
    def __init__(self, threads):
        from hibari import Hibari

        self.engine = Hibari(threads=threads)
        self.engine.sess = TimedSession(self.engine.model_path, threads)
        self.rate = self.engine.sample_rate
        self.engine.g2p  # loaded on first use otherwise, which takes half a second

    def sentences(self, text, speed):
        """Yields (samples as 16-bit little-endian bytes, seconds cut off in front, ends of words).

        The ends are milliseconds from the first sample that was yielded.
        """
        if not any(c.isalnum() for c in text):
            return  # the engine makes a noise even of dots
        said = 0.0
        rng = np.random.default_rng()
        for phonemes in self.engine.phonemize(text):
            samples = self.engine.from_ids(self.engine.ids(phonemes), speed, rng)
            spoken, lead = trimmed(samples, self.rate)
            if not len(spoken):
                continue
            shift, length = said - lead, len(spoken) / self.rate
            if said:
                pause = np.zeros(int(PAUSE_SECONDS * self.rate), np.float32)
                spoken = np.concatenate([pause, spoken])
                shift += PAUSE_SECONDS
                length += PAUSE_SECONDS
            ends = self.word_ends(phonemes)
            # A word is over when its own last sound is; the last one with the sentence.
            ends = [min(max(end + shift, said), said + length) for end in ends[:-1]]
            said += length
            yield pcm16(spoken), lead, [round(1000 * end, 1) for end in [*ends, said]]

    def word_ends(self, phonemes):
        """Seconds from the beginning of the engine's samples to the end of each word."""
        known = [c for c in phonemes if c in self.engine.vocab]
        ends = np.cumsum(self.engine.sess.durations) * STEP_SECONDS
        if len(ends) != len(known) + 2:
            return [float(ends[-1])]
        words = [float(ends[at]) for at, c in enumerate(known) if c == " "]
        return [*words, float(ends[-2])]


class TimedSession:
    """The voice's network with the lengths of the phonemes as one more output."""

    def __init__(self, path, threads):
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = threads
        options.log_severity_level = 3
        # What is appended to a file of this format is merged into it: graph, its output, its name.
        output = field(7, field(12, field(1, DURATIONS.encode())))
        with open(path, "rb") as file:
            network = file.read() + output
        self.session = onnxruntime.InferenceSession(
            network, options, providers=["CPUExecutionProvider"]
        )
        self.durations = np.zeros(0)

    def run(self, names, inputs):
        *outputs, durations = self.session.run(names, inputs)
        self.durations = np.ravel(durations)
        return outputs


def field(number, content):
    """A length-delimited field of less than 128 bytes, as protocol buffers write it."""
    return bytes([number << 3 | 2, len(content)]) + content


def trimmed(samples, rate):
    """Cuts silence at both ends down to edges; returns samples and seconds cut in front."""
    loud = np.flatnonzero(np.abs(samples) > SILENCE)
    if not len(loud):
        return samples[:0], 0.0
    begin = max(0, loud[0] - int(LEAD_SECONDS * rate))
    end = min(len(samples), loud[-1] + 1 + int(TAIL_SECONDS * rate))
    return samples[begin:end], begin / rate


def pcm16(samples):
    return np.round(np.clip(samples, -1.0, 1.0) * 32767).astype("<i2").tobytes()
