"""Whisper's mel filters: triangles on Slaney's scale, each of unit area."""

import numpy as np

RATE = 16000
TRANSFORM = 400


def slaney_filters(count):
    """`count` filters over the bins of the transform, as float32."""
    bins = np.arange(TRANSFORM // 2 + 1) * (RATE / TRANSFORM)
    edges = _frequencies(np.linspace(0.0, _mels(RATE / 2), count + 2))
    widths = np.diff(edges)
    distance = edges[:, None] - bins[None, :]
    rising = -distance[:-2] / widths[:-1, None]
    falling = distance[2:] / widths[1:, None]
    triangles = np.maximum(0.0, np.minimum(rising, falling))
    area = 2.0 / (edges[2:] - edges[:-2])
    return (triangles * area[:, None]).astype(np.float32)


# The scale is linear up to 1 kHz (15 mel) and logarithmic above: 27 mel for a factor of 6.4.
_KNEE_HZ = 1000.0
_KNEE_MEL = 15.0
_HZ_PER_MEL = 200.0 / 3
_LOG_STEP = np.log(6.4) / 27.0


def _mels(hertz):
    if hertz < _KNEE_HZ:
        return hertz / _HZ_PER_MEL
    return _KNEE_MEL + np.log(hertz / _KNEE_HZ) / _LOG_STEP


def _frequencies(mels):
    logarithmic = _KNEE_HZ * np.exp(_LOG_STEP * (mels - _KNEE_MEL))
    return np.where(mels >= _KNEE_MEL, logarithmic, _HZ_PER_MEL * mels)
