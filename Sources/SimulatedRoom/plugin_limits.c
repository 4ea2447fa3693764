#include "plugin_limits.h"

#include "room.h"

static int limit_list(snd_pcm_ioplug_t *io, int what, const unsigned *all, unsigned count,
                      bool is_fixed, unsigned fixed) {
  return is_fixed ? snd_pcm_ioplug_set_param_list(io, what, 1, &fixed)
                  : snd_pcm_ioplug_set_param_list(io, what, count, all);
}

static int limit_range(snd_pcm_ioplug_t *io, int what, unsigned least, unsigned most,
                       unsigned fixed) {
  return snd_pcm_ioplug_set_param_minmax(io, what, fixed ? fixed : least, fixed ? fixed : most);
}

int plugin_limit(snd_pcm_ioplug_t *io, const plugin_card *card) {
  static const unsigned accesses[] = {
      SND_PCM_ACCESS_RW_INTERLEAVED, SND_PCM_ACCESS_MMAP_INTERLEAVED,
      SND_PCM_ACCESS_RW_NONINTERLEAVED, SND_PCM_ACCESS_MMAP_NONINTERLEAVED};
  static const unsigned formats[] = {SND_PCM_FORMAT_S16_LE, SND_PCM_FORMAT_S32_LE,
                                     SND_PCM_FORMAT_FLOAT_LE, SND_PCM_FORMAT_S24_3LE,
                                     SND_PCM_FORMAT_S24_LE};
  // 1 ms of mono 16-bit to the largest buffer of mono 16-bit: smaller in frames for wider samples.
  unsigned bytes = STREAM_MAX_BUFFER * (card->channels ? card->channels : 1);
  int result =
      limit_list(io, SND_PCM_IOPLUG_HW_ACCESS, accesses, 4, card->has_access, card->access);
  if (result >= 0)
    result = limit_list(io, SND_PCM_IOPLUG_HW_FORMAT, formats, 5, card->has_format, card->format);
  if (result >= 0)
    result = limit_range(io, SND_PCM_IOPLUG_HW_CHANNELS, 1, 2, card->channels);
  if (result >= 0)
    result = limit_range(io, SND_PCM_IOPLUG_HW_RATE, ROOM_RATE, ROOM_RATE, card->rate_hz);
  if (result >= 0)
    result = limit_range(io, SND_PCM_IOPLUG_HW_PERIOD_BYTES, 16, bytes, 0);
  if (result >= 0)
    result = limit_range(io, SND_PCM_IOPLUG_HW_BUFFER_BYTES, 32, 2 * bytes, 0);
  if (result >= 0)
    result = limit_range(io, SND_PCM_IOPLUG_HW_PERIODS, 2, 256, 0);
  return result;
}
