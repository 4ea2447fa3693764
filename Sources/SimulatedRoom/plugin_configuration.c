#include "plugin_configuration.h"

#include <errno.h>
#include <string.h>

room_acoustics plugin_default_acoustics(void) {
  return (room_acoustics){
      .echo_return_loss_db = 6, .delay_ms = 10, .rt60_ms = 200, .noise_dbfs = -70, .seed = 1};
}

static int read_clock(plugin_configuration *out, snd_config_t *field) {
  const char *name;
  if (snd_config_get_string(field, &name))
    return -EINVAL;
  out->manual_clock = !strcmp(name, "manual");
  return out->manual_clock || !strcmp(name, "real") ? 0 : -EINVAL;
}

static int read_seed(plugin_configuration *out, snd_config_t *field) {
  long seed;
  if (snd_config_get_integer(field, &seed))
    return -EINVAL;
  out->acoustics.seed = (uint32_t)seed;
  return 0;
}

/// Names are those of ALSA.
static int read_format(plugin_card *card, snd_config_t *field) {
  const char *name;
  if (snd_config_get_string(field, &name))
    return -EINVAL;
  snd_pcm_format_t format = snd_pcm_format_value(name);
  card->has_format = strcmp(name, "any") != 0;
  card->format = (unsigned)format;
  return card->has_format && format == SND_PCM_FORMAT_UNKNOWN ? -EINVAL : 0;
}

static int read_access(plugin_card *card, snd_config_t *field) {
  const char *name;
  if (snd_config_get_string(field, &name))
    return -EINVAL;
  card->has_access = strcmp(name, "any") != 0;
  if (!strcmp(name, "mmap"))
    card->access = SND_PCM_ACCESS_MMAP_INTERLEAVED;
  else if (!strcmp(name, "rw") || !card->has_access)
    card->access = SND_PCM_ACCESS_RW_INTERLEAVED;
  else
    return -EINVAL;
  return 0;
}

static int read_number(unsigned *out, unsigned most, snd_config_t *field) {
  long number;
  if (snd_config_get_integer(field, &number) || number < 0 || number > (long)most)
    return -EINVAL;
  *out = (unsigned)number;
  return 0;
}

static int read_milliseconds(double *out, double most, snd_config_t *field) {
  return snd_config_get_ireal(field, out) || *out < 0 || *out > most ? -EINVAL : 0;
}

/// Result: -ENOENT for a field that is not of the card.
static int read_card_field(plugin_configuration *out, const char *name, snd_config_t *field) {
  plugin_card *card = &out->card;
  if (!strcmp(name, "rate"))
    return read_number(&card->rate_hz, 192000, field);
  if (!strcmp(name, "channels"))
    return read_number(&card->channels, 16, field);
  if (!strcmp(name, "microphone_channel"))
    return read_number(&card->microphone_channel, 16, field);
  if (!strcmp(name, "reference_channel"))
    return read_number(&card->reference_channel, 16, field);
  if (!strcmp(name, "format"))
    return read_format(card, field);
  if (!strcmp(name, "access"))
    return read_access(card, field);
  if (!strcmp(name, "capture_ppm"))
    return snd_config_get_ireal(field, &card->capture_ppm);
  if (!strcmp(name, "playback_ppm"))
    return snd_config_get_ireal(field, &card->playback_ppm);
  if (!strcmp(name, "playback_latency_ms"))
    return read_milliseconds(&out->playback_latency_ms, 1000, field);
  if (!strcmp(name, "hidden_latency_ms"))
    return read_milliseconds(&out->hidden_latency_ms, 1000, field);
  if (!strcmp(name, "faults"))
    return snd_config_get_string(field, &out->faults);
  return -ENOENT;
}

static int read_field(plugin_configuration *out, const char *name, snd_config_t *field) {
  if (!strcmp(name, "type") || !strcmp(name, "comment") || !strcmp(name, "hint"))
    return 0;
  if (!strcmp(name, "room"))
    return snd_config_get_string(field, &out->room);
  if (!strcmp(name, "record"))
    return snd_config_get_string(field, &out->record);
  if (!strcmp(name, "impulse_response"))
    return snd_config_get_string(field, &out->impulse_response);
  if (!strcmp(name, "erl_db"))
    return snd_config_get_ireal(field, &out->acoustics.echo_return_loss_db);
  if (!strcmp(name, "delay_ms"))
    return snd_config_get_ireal(field, &out->acoustics.delay_ms);
  if (!strcmp(name, "rt60_ms"))
    return snd_config_get_ireal(field, &out->acoustics.rt60_ms);
  if (!strcmp(name, "noise_dbfs"))
    return snd_config_get_ireal(field, &out->acoustics.noise_dbfs);
  if (!strcmp(name, "seed"))
    return read_seed(out, field);
  if (!strcmp(name, "clock"))
    return read_clock(out, field);
  return read_card_field(out, name, field);
}

int plugin_configuration_read(plugin_configuration *out, snd_config_t *fields) {
  *out = (plugin_configuration){.room = "default", .acoustics = plugin_default_acoustics()};
  snd_config_iterator_t at, next;
  snd_config_for_each(at, next, fields) {
    snd_config_t *field = snd_config_iterator_entry(at);
    const char *name;
    if (snd_config_get_id(field, &name) < 0)
      continue;
    int result = read_field(out, name, field);
    if (result < 0) {
      SNDERR(result == -ENOENT ? "simroom has no field '%s'"
                               : "simroom: the value of field '%s' is not valid",
             name);
      return -EINVAL;
    }
  }
  return 0;
}
