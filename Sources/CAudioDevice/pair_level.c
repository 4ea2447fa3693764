#include "pair_level.h"

#include "voice_core.h"

static uint32_t larger(uint32_t a, uint32_t b) {
  return a > b ? a : b;
}

static uint32_t smaller(uint32_t a, uint32_t b) {
  return a < b ? a : b;
}

ad_level ad_level_begin(uint32_t wanted, uint32_t longest_period, uint32_t headroom,
                        uint32_t buffer, uint32_t period, int64_t now_ns) VD_NONBLOCKING {
  // While a period of the microphone fills, the speaker plays as much; one block more is for being
  // late. Below that every wake would find it dry.
  uint32_t needed = larger(longest_period, VC_BLOCK_FRAMES) + VC_BLOCK_FRAMES + headroom;
  // A period of room is kept for drivers that tell their position by the period. A buffer too short
  // for that is filled to the brim: a block is written only when one has been played.
  uint32_t most = buffer > period && buffer - period >= needed ? buffer - period : buffer;
  most = smaller(most, larger(AD_LEVEL_MOST_FRAMES, needed));
  uint32_t least = smaller(larger(wanted, needed), most);
  return (ad_level){.prefill = least, .least = least, .most = most, .clean_since_ns = now_ns};
}

void ad_level_underrun(ad_level *level, int64_t now_ns) VD_NONBLOCKING {
  level->prefill = smaller(level->prefill + VC_BLOCK_FRAMES, level->most);
  level->clean_since_ns = now_ns;
}

bool ad_level_may_shrink(const ad_level *level, int64_t now_ns) VD_NONBLOCKING {
  return level->prefill > level->least && now_ns - level->clean_since_ns >= AD_LEVEL_CLEAN_NS;
}

void ad_level_shrunk(ad_level *level, int64_t now_ns) VD_NONBLOCKING {
  // One block at a time is taken away; `most` need not lie a whole number of blocks above `least`.
  level->prefill = level->prefill - level->least > VC_BLOCK_FRAMES
                       ? level->prefill - VC_BLOCK_FRAMES
                       : level->least;
  level->clean_since_ns = now_ns;
}

uint32_t ad_level_target(const ad_level *level) VD_NONBLOCKING {
  return level->prefill > VC_BLOCK_FRAMES ? level->prefill - VC_BLOCK_FRAMES : 0;
}
