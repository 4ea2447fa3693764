#ifndef SAMPLE_FORMAT_H
#define SAMPLE_FORMAT_H

#include <alsa/asoundlib.h>

/// One frame out of ALSA's areas as the mean of its first two channels, where the loudspeakers are,
/// -1..1.
float sample_format_read(const snd_pcm_channel_area_t *areas, unsigned channels,
                         snd_pcm_format_t format, snd_pcm_uframes_t frame);
/// One sample into one channel's area.
void sample_format_write(const snd_pcm_channel_area_t *area, snd_pcm_format_t format,
                         snd_pcm_uframes_t frame, float value);

#endif
