#include "bulk_delay.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "echo_rate.h"
#include "echo_transform.h"

/// Samples at 16 kHz of one hop, and lags that one partition covers: 16 ms.
#define HOP 256
/// Partitions: 1.024 s of lags.
#define PARTITIONS 64
/// Share of a hop in the running mean: a memory of about 1.3 s of speech.
#define SHARE 0.012f
/// Below this mean square the agent is silent: -60 dBFS.
#define SILENCE 1e-6f
/// Hops of speech between two looks at the correlation: 0.13 s.
#define LOOK_HOPS 8
/// Bins that count: 200 Hz to 6 kHz.
#define FIRST_BIN 6
#define LAST_BIN 192
/// The peak over the mean from which on it is believed, and looks in a row that must agree. With an
/// echo 99 looks of 100 see 36 or more, without one 16 or less (bench echo, tuning half).
#define CERTAIN_RATIO 20.0f
#define CERTAIN_LOOKS 3
/// By how much it towers over what lies two partitions or more away. A tone, or music, has a peak
/// at each of its periods, and tells nothing.
#define CERTAIN_LEAD 1.6f
/// Lags within which two looks agree: 1 ms.
#define NEAR 16

struct vc_bulk_delay {
  vc_transform transform;
  vc_decimator reference_rate, microphone_rate;
  float window[2 * HOP]; ///< of the reference; its middle, squared together, of the microphone
  float reference[2 * HOP], microphone[HOP];
  int fill;
  vc_spectrum history[PARTITIONS]; ///< phases of the reference, newest at `newest`
  float loudness[PARTITIONS];      ///< mean square of each
  int newest;
  vc_spectrum mean[PARTITIONS];
  int hops;      ///< of speech since the last look
  int candidate; ///< lag in samples at 16 kHz
  int looks;     ///< in a row that saw it
  bool is_certain;
  uint32_t frames;
};

int vc_bulk_delay_create(vc_bulk_delay **out) {
  vc_bulk_delay *delay = calloc(1, sizeof *delay);
  if (!delay)
    return -ENOMEM;
  vc_transform_prepare(&delay->transform);
  vc_decimator_prepare(&delay->reference_rate);
  vc_decimator_prepare(&delay->microphone_rate);
  // Edges of blocks are alike in both signals, and would correlate.
  for (int i = 0; i < 2 * HOP; i++)
    delay->window[i] = 0.5f - 0.5f * cosf((float)M_PI * ((float)i + 0.5f) / HOP);
  vc_bulk_delay_reset(delay);
  *out = delay;
  return 0;
}

void vc_bulk_delay_destroy(vc_bulk_delay *delay) {
  free(delay);
}

void vc_bulk_delay_reset(vc_bulk_delay *delay) VD_NONBLOCKING {
  delay->is_certain = false;
  delay->looks = delay->hops = delay->fill = 0;
  memset(delay->reference, 0, sizeof delay->reference);
  memset(delay->history, 0, sizeof delay->history);
  memset(delay->loudness, 0, sizeof delay->loudness);
  memset(delay->mean, 0, sizeof delay->mean);
  delay->candidate = 0;
}

/// Keeps the phases, and only of the bins that count.
static void whiten(vc_spectrum *spectrum) VD_NONBLOCKING {
  for (int k = 0; k < VC_TRANSFORM_ROOM; k++) {
    float re = spectrum->re[k], im = spectrum->im[k];
    float scale = 1 / (sqrtf(re * re + im * im) + 1e-6f);
    scale = k >= FIRST_BIN && k < LAST_BIN ? scale : 0;
    spectrum->re[k] = re * scale;
    spectrum->im[k] = im * scale;
  }
}

/// Whether the peak of partition `at` towers over those of all others but its neighbours.
static bool towers(const float *tops, int at) VD_NONBLOCKING {
  for (int p = 0; p < PARTITIONS; p++) {
    bool is_near = p >= at - 1 && p <= at + 1;
    if (!is_near && tops[p] * CERTAIN_LEAD > tops[at])
      return false;
  }
  return true;
}

/// Looks for the highest peak of the correlation among all lags.
static void look(vc_bulk_delay *delay) VD_NONBLOCKING {
  float top = 0, sum = 0;
  float tops[PARTITIONS] = {0};
  int at = 0;
  for (int p = 0; p < PARTITIONS; p++) {
    float correlation[VC_TRANSFORM_SIZE];
    vc_transform_inverse(&delay->transform, &delay->mean[p], correlation);
    for (int i = 0; i < HOP; i++) {
      float value = fabsf(correlation[i]);
      sum += value;
      tops[p] = fmaxf(tops[p], value);
      if (value > top) {
        top = value;
        at = p * HOP + i;
      }
    }
  }
  bool is_clear = top > CERTAIN_RATIO * sum / (PARTITIONS * HOP) && towers(tops, at / HOP);
  bool is_same = at - delay->candidate <= NEAR && delay->candidate - at <= NEAR;
  delay->looks = is_clear ? (is_same ? delay->looks + 1 : 1) : 0;
  delay->candidate = at;
  if (delay->looks < CERTAIN_LOOKS)
    return;
  delay->is_certain = true;
  delay->frames = (uint32_t)at * 3;
}

static void hop(vc_bulk_delay *delay) VD_NONBLOCKING {
  delay->newest = (delay->newest + PARTITIONS - 1) % PARTITIONS;
  vc_spectrum *newest = &delay->history[delay->newest];
  float loudness = 0;
  for (int i = HOP; i < 2 * HOP; i++)
    loudness += delay->reference[i] * delay->reference[i] / HOP;
  delay->loudness[delay->newest] = loudness;
  float tapered[2 * HOP];
  for (int i = 0; i < 2 * HOP; i++)
    tapered[i] = delay->reference[i] * delay->window[i];
  vc_transform_forward(&delay->transform, tapered, newest);
  whiten(newest);
  bool is_heard = false;
  for (int p = 0; p < PARTITIONS; p++)
    is_heard |= delay->loudness[p] > SILENCE;
  if (!is_heard)
    return;
  float padded[VC_TRANSFORM_SIZE] = {0};
  for (int i = 0; i < HOP; i++)
    padded[HOP + i] = delay->microphone[i] * delay->window[2 * i];
  vc_spectrum heard;
  vc_transform_forward(&delay->transform, padded, &heard);
  whiten(&heard);
  for (int p = 0; p < PARTITIONS; p++) {
    int slot = (delay->newest + p) % PARTITIONS;
    if (delay->loudness[slot] <= SILENCE)
      continue;
    const vc_spectrum *sent = &delay->history[slot];
    vc_spectrum *mean = &delay->mean[p];
    for (int k = 0; k < VC_TRANSFORM_ROOM; k++) {
      float re = sent->re[k] * heard.re[k] + sent->im[k] * heard.im[k];
      float im = sent->re[k] * heard.im[k] - sent->im[k] * heard.re[k];
      mean->re[k] += SHARE * (re - mean->re[k]);
      mean->im[k] += SHARE * (im - mean->im[k]);
    }
  }
  if (++delay->hops % LOOK_HOPS == 0)
    look(delay);
}

void vc_bulk_delay_push_narrow(vc_bulk_delay *delay, const float *reference,
                               const float *microphone) VD_NONBLOCKING {
  for (int i = 0; i < VC_ECHO_BLOCK; i++) {
    delay->reference[HOP + delay->fill] = reference[i];
    delay->microphone[delay->fill] = microphone[i];
    if (++delay->fill < HOP)
      continue;
    hop(delay);
    memcpy(delay->reference, delay->reference + HOP, HOP * sizeof *reference);
    delay->fill = 0;
  }
}

void vc_bulk_delay_push(vc_bulk_delay *delay, const float *reference,
                        const float *microphone) VD_NONBLOCKING {
  float sent[VC_ECHO_BLOCK], heard[VC_ECHO_BLOCK];
  vc_decimator_process(&delay->reference_rate, reference, sent);
  vc_decimator_process(&delay->microphone_rate, microphone, heard);
  vc_bulk_delay_push_narrow(delay, sent, heard);
}

bool vc_bulk_delay_read(const vc_bulk_delay *delay, uint32_t *frames) VD_NONBLOCKING {
  *frames = delay->frames;
  return delay->is_certain;
}
