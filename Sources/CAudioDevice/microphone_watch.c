#include "microphone_watch.h"

bool ad_is_silent(const float *block, size_t frames) VD_NONBLOCKING {
  for (size_t i = 0; i < frames; i++)
    if (block[i] != 0)
      return false;
  return true;
}

ad_watch_news ad_microphone_watch_block(ad_microphone_watch *watch, const float *block,
                                        size_t frames) VD_NONBLOCKING {
  if (!ad_is_silent(block, frames)) {
    bool was_told = watch->told > 0;
    *watch = (ad_microphone_watch){0};
    return was_told ? AD_WATCH_SOUNDS_AGAIN : AD_WATCH_NOTHING;
  }
  watch->zero_frames += frames;
  uint64_t bound = AD_WATCH_ZERO_FRAMES + (watch->told ? AD_WATCH_STILL_FRAMES : 0);
  if (watch->told == 2 || watch->zero_frames < bound)
    return AD_WATCH_NOTHING;
  return ++watch->told == 1 ? AD_WATCH_SILENT : AD_WATCH_STILL_SILENT;
}
