#include "voice_resample.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "realtime_libraries.h"

struct vd_resampler {
  SRC_STATE *state;
  double ratio;
};

// The library's own range (SRC_MAX_RATIO).
static const double RATIO_MAX = 256.0;

static int ratio_is_valid(double ratio) VD_NONBLOCKING {
  return ratio >= 1.0 / RATIO_MAX && ratio <= RATIO_MAX;
}

int vd_resampler_create(vd_resampler **out, double from_hz, double to_hz) {
  if (out == NULL || !(from_hz > 0) || !(to_hz > 0) || !ratio_is_valid(to_hz / from_hz)) {
    return -EINVAL;
  }
  *out = NULL;
  vd_resampler *resampler = calloc(1, sizeof *resampler);
  if (resampler == NULL) {
    return -ENOMEM;
  }
  int error = 0;
  resampler->state = src_new(SRC_SINC_FASTEST, 1, &error);
  if (resampler->state == NULL) {
    free(resampler);
    return -ENOMEM;
  }
  resampler->ratio = to_hz / from_hz;
  *out = resampler;
  return 0;
}

void vd_resampler_destroy(vd_resampler *resampler) {
  if (resampler == NULL) {
    return;
  }
  src_delete(resampler->state);
  free(resampler);
}

void vd_resampler_set_ratio(vd_resampler *resampler, double ratio) VD_NONBLOCKING {
  // The library moves from the last call's ratio to this one over the next call, sample by sample.
  if (ratio_is_valid(ratio)) {
    resampler->ratio = ratio;
  }
}

long vd_resampler_process(vd_resampler *resampler, const float *in, size_t in_count, size_t *used,
                          float *out, size_t out_capacity) VD_NONBLOCKING {
  *used = 0;
  if (in_count > LONG_MAX || out_capacity > LONG_MAX) {
    return -EINVAL;
  }
  SRC_DATA data = {
      .data_in = in,
      .data_out = out,
      .input_frames = (long)in_count,
      .output_frames = (long)out_capacity,
      .src_ratio = resampler->ratio,
  };
  if (src_process(resampler->state, &data) != 0) {
    return -EINVAL;
  }
  *used = (size_t)data.input_frames_used;
  return data.output_frames_gen;
}

void vd_resampler_reset(vd_resampler *resampler) VD_NONBLOCKING {
  (void)src_reset(resampler->state);
}
