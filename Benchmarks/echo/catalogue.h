#ifndef ECHO_CATALOGUE_H
#define ECHO_CATALOGUE_H

#include "echo_bench.h"
#include "scene.h"

typedef struct {
  scene_plan plan;
  uint64_t hash; ///< of the scene as it was when the figures were recorded; 0: not recorded
} catalogue_entry;

#define CATALOGUE_MAX 64

extern const catalogue_entry catalogue_tuning[], catalogue_held_out[];
extern const size_t catalogue_tuning_count, catalogue_held_out_count;

/// The scenes of a part of the suite, but of the recorded one. Result: how many.
/// - seed: of the fresh part; others ignore it.
size_t catalogue(int part, uint64_t seed, catalogue_entry *out);

#endif
