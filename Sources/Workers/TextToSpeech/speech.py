"""Turns sentences into samples, without the silence around them."""

import numpy as np

# Quieter than this is silence: -40 dB below full scale.
SILENCE = 0.01
EDGE_SECONDS = 0.02
# Between sentences of one request, in place of the silence that was cut off.
PAUSE_SECONDS = 0.18


class Speech:
    def __init__(self, threads):
        from hibari import Hibari

        self.engine = Hibari(threads=threads)
        self.rate = self.engine.sample_rate
        self.engine.g2p  # loaded on first use otherwise, which takes half a second

    def sentences(self, text, speed):
        """Yields (samples as 16-bit little-endian bytes, seconds cut off in front)."""
        if not any(c.isalnum() for c in text):
            return  # the engine makes a noise even of dots
        first = True
        for samples in self.engine.stream(text, speed):
            spoken, lead = trimmed(samples, self.rate)
            if not len(spoken):
                continue
            if not first:
                pause = np.zeros(int(PAUSE_SECONDS * self.rate), np.float32)
                spoken = np.concatenate([pause, spoken])
            first = False
            yield pcm16(spoken), lead


def trimmed(samples, rate):
    """Cuts silence at both ends down to an edge; returns samples and seconds cut in front."""
    loud = np.flatnonzero(np.abs(samples) > SILENCE)
    if not len(loud):
        return samples[:0], 0.0
    edge = int(EDGE_SECONDS * rate)
    begin = max(0, loud[0] - edge)
    end = min(len(samples), loud[-1] + 1 + edge)
    return samples[begin:end], begin / rate


def pcm16(samples):
    return np.round(np.clip(samples, -1.0, 1.0) * 32767).astype("<i2").tobytes()
