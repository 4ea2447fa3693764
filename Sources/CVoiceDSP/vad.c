#include "voice_vad.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "energy_detector.h"
#include "vad_network.h"

struct vd_vad {
  const vd_vad_weights *weights; // NULL: energy
  vad_network_state network;
  energy_detector energy;
};

int vd_vad_create(vd_vad **out, const vd_vad_weights *weights) {
  if (out == NULL) {
    return -EINVAL;
  }
  vd_vad *vad = calloc(1, sizeof *vad);
  *out = vad;
  if (vad == NULL) {
    return -ENOMEM;
  }
  vad->weights = weights;
  return 0;
}

void vd_vad_destroy(vd_vad *vad) {
  free(vad);
}

static const float LARGEST = 64.0f; // 36 dB over full scale

/// Whether the window is a signal at all. A value that is no number, or a huge one, would stay in
/// the network's memory for good.
static int window_is_sound(const float *window) VD_NONBLOCKING {
  int unsound = 0;
  for (int i = 0; i < VD_VAD_WINDOW_SAMPLES; i++) {
    unsound |= !(window[i] >= -LARGEST && window[i] <= LARGEST);
  }
  return !unsound;
}

float vd_vad_process(vd_vad *vad, const float *window) VD_NONBLOCKING {
  if (!window_is_sound(window)) {
    vd_vad_reset(vad);
    return 0;
  }
  if (vad->weights == NULL) {
    return vd_energy_detector_process(&vad->energy, window);
  }
  return vd_vad_network_process(vad->weights, &vad->network, window);
}

void vd_vad_reset(vd_vad *vad) VD_NONBLOCKING {
  memset(&vad->network, 0, sizeof vad->network);
  memset(&vad->energy, 0, sizeof vad->energy);
}
