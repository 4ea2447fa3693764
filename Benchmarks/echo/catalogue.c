#include "catalogue.h"

#include <string.h>

/// Ten minutes at five volumes.
static size_t echo_alone(catalogue_entry *out) {
  static const double levels[] = {-24, -12, 0, 6, 12};
  static const char *const voices[] = {"hibari-one", "awb", "british", "hibari-one", "awb"};
  static const char *const names[] = {"echo_-24", "echo_-12", "echo_0", "echo_+6", "echo_+12"};
  for (size_t i = 0; i < 5; i++)
    out[i] =
        (catalogue_entry){.plan = {.name = names[i],
                                   .agent = voices[i],
                                   .seed = 900 + i,
                                   .reverberation_ms = 150 + 60 * (double)i,
                                   .delay_ms = 30 * (double)i,
                                   .echo_db = levels[i],
                                   .noise_db = 45,
                                   .loudspeaker = i == 4 ? LOUDSPEAKER_SOFT : LOUDSPEAKER_CLEAN,
                                   .seconds = 120}};
  return 5;
}

/// A third of the held-out cases, in rooms that nobody has seen.
static size_t fresh(uint64_t seed, catalogue_entry *out) {
  size_t count = catalogue_held_out_count, kept = 0;
  for (size_t i = seed % 3; i < count; i += 3) {
    out[kept] = catalogue_held_out[i];
    out[kept].plan.seed = catalogue_held_out[i].plan.seed * 0x9e3779b97f4a7c15 + seed;
    out[kept++].hash = 0;
  }
  return kept;
}

size_t catalogue(int part, uint64_t seed, catalogue_entry *out) {
  switch (part) {
  case ECHO_TUNING:
    memcpy(out, catalogue_tuning, catalogue_tuning_count * sizeof *out);
    return catalogue_tuning_count;
  case ECHO_HELD_OUT:
    memcpy(out, catalogue_held_out, catalogue_held_out_count * sizeof *out);
    return catalogue_held_out_count;
  case ECHO_FRESH:
    return fresh(seed, out);
  case ECHO_ALONE:
    return echo_alone(out);
  default:
    return 0;
  }
}
