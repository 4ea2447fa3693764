#include "voice_level.h"

#include <math.h>

// Both ends of the meter and its fall, as the header promises them.
static const float FLOOR_DBFS = -120.0f;
static const float METER_RANGE_DB = 60.0f;
static const float FALL_DB_PER_SECOND = 20.0f;

float vd_level_dbfs(const float *block, size_t count) VD_NONBLOCKING {
  // Eight partial sums, because the compiler may not reorder one float sum into vector lanes.
  float lanes[8] = {0};
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    for (size_t lane = 0; lane < 8; lane++) {
      lanes[lane] += block[i + lane] * block[i + lane];
    }
  }
  for (; i < count; i++) {
    lanes[0] += block[i] * block[i];
  }
  float sum = 0;
  for (size_t lane = 0; lane < 8; lane++) {
    sum += lanes[lane];
  }
  // Written so that an empty block and one with a NaN count as silence.
  const float mean = count > 0 ? sum / (float)count : 0;
  if (!(mean > 1e-12f)) {
    return FLOOR_DBFS;
  }
  return 10.0f * log10f(mean);
}

float vd_level_update(vd_level *level, const float *block, size_t count,
                      float seconds) VD_NONBLOCKING {
  float now = 1.0f + vd_level_dbfs(block, count) / METER_RANGE_DB;
  now = now < 0.0f ? 0.0f : now > 1.0f ? 1.0f : now;
  const float fallen = level->held - seconds * FALL_DB_PER_SECOND / METER_RANGE_DB;
  level->held = now > fallen ? now : fallen;
  return level->held;
}
