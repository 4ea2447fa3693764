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
    bool was_told = watch->was_told;
    *watch = (ad_microphone_watch){0};
    return was_told ? AD_WATCH_SOUNDS_AGAIN : AD_WATCH_NOTHING;
  }
  watch->zero_frames += frames;
  if (watch->was_told || watch->zero_frames < AD_WATCH_ZERO_FRAMES)
    return AD_WATCH_NOTHING;
  watch->was_told = true;
  return AD_WATCH_SILENT;
}
