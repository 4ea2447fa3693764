// The knobs of a simulated card: an external control plugin (alsa-lib, control_external.h). They
// are kept for as long as the process lives and change nothing of the room's sound.
//
//     ctl_type.simroom { lib "/path/to/libSimulatedRoom.so" }
//     ctl.card { type simroom room "default" model "hat" }
#include <alsa/asoundlib.h>
#include <alsa/control_external.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Cards of one process at most.
#define CARDS_MAX 32
/// Knobs of a card at most.
#define KNOBS_MAX 16

typedef struct {
  const char *name; ///< as the kernel names a control
  bool is_switch;
  long most; ///< of a volume; steps of `step` hundredths of a decibel
  long value;
  int least_decibels; ///< hundredths
  int step;
} knob;

/// A USB speakerphone as it comes out of the box: everything open, a gain control of its own.
static const knob speakerphone[] = {
    {"PCM Playback Switch", true, 1, 1, 0, 0},
    {"PCM Playback Volume", false, 37, 30, -3700, 100},
    {"Mic Capture Switch", true, 1, 1, 0, 0},
    {"Mic Capture Volume", false, 30, 20, 0, 100},
    {"Auto Gain Control Capture Switch", true, 1, 1, 0, 0},
};

/// A microphone HAT after its driver was loaded: nothing is heard in either direction.
static const knob hat[] = {
    {"Headphone Playback Volume", false, 127, 0, -12100, 100},
    {"Speaker Playback Volume", false, 127, 0, -12100, 100},
    {"Left Output Mixer PCM Playback Switch", true, 1, 0, 0, 0},
    {"Right Output Mixer PCM Playback Switch", true, 1, 0, 0, 0},
    {"Playback Volume", false, 255, 255, -12750, 50},
    {"Capture Switch", true, 1, 0, 0, 0},
    {"Capture Volume", false, 63, 10, -1725, 75},
    {"Left Input Mixer Boost Switch", true, 1, 0, 0, 0},
    {"Left Boost Mixer LINPUT1 Switch", true, 1, 0, 0, 0},
    {"Mic Boost Capture Volume", false, 3, 3, 0, 1000},
    {"ADC High Pass Filter Switch", true, 1, 0, 0, 0},
};

typedef struct {
  char name[64];
  knob knobs[KNOBS_MAX];
  unsigned count;
} card;

typedef struct {
  snd_ctl_ext_t io;
  card *card;
} mixer;

static card cards[CARDS_MAX];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static card *card_named(const char *name, const char *model) {
  card *found = NULL;
  pthread_mutex_lock(&lock);
  for (size_t i = 0; i < CARDS_MAX && !found; i++) {
    card *candidate = &cards[i];
    bool is_free = candidate->name[0] == 0;
    if (!is_free && strcmp(candidate->name, name) != 0)
      continue;
    found = candidate;
    if (!is_free)
      break;
    bool is_hat = strcmp(model, "hat") == 0;
    const knob *knobs = is_hat ? hat : speakerphone;
    candidate->count =
        is_hat ? sizeof hat / sizeof *hat : sizeof speakerphone / sizeof *speakerphone;
    memcpy(candidate->knobs, knobs, candidate->count * sizeof *knobs);
    snprintf(candidate->name, sizeof candidate->name, "%s", name);
  }
  pthread_mutex_unlock(&lock);
  return found;
}

static knob *knob_of(snd_ctl_ext_t *io, snd_ctl_ext_key_t key) {
  mixer *self = io->private_data;
  return &self->card->knobs[key];
}

static void on_close(snd_ctl_ext_t *io) {
  free(io->private_data);
}

static int on_count(snd_ctl_ext_t *io) {
  mixer *self = io->private_data;
  return (int)self->card->count;
}

static int on_list(snd_ctl_ext_t *io, unsigned offset, snd_ctl_elem_id_t *id) {
  snd_ctl_elem_id_set_interface(id, SND_CTL_ELEM_IFACE_MIXER);
  snd_ctl_elem_id_set_name(id, knob_of(io, offset)->name);
  return 0;
}

static snd_ctl_ext_key_t on_find(snd_ctl_ext_t *io, const snd_ctl_elem_id_t *id) {
  mixer *self = io->private_data;
  unsigned number = snd_ctl_elem_id_get_numid(id);
  if (number > 0 && number <= self->card->count)
    return number - 1;
  for (unsigned i = 0; i < self->card->count; i++)
    if (strcmp(self->card->knobs[i].name, snd_ctl_elem_id_get_name(id)) == 0)
      return i;
  return SND_CTL_EXT_KEY_NOT_FOUND;
}

static int on_attribute(snd_ctl_ext_t *io, snd_ctl_ext_key_t key, int *type, unsigned *access,
                        unsigned *count) {
  bool is_switch = knob_of(io, key)->is_switch;
  *type = is_switch ? SND_CTL_ELEM_TYPE_BOOLEAN : SND_CTL_ELEM_TYPE_INTEGER;
  *access = SND_CTL_EXT_ACCESS_READWRITE;
  if (!is_switch)
    *access |= SND_CTL_EXT_ACCESS_TLV_READ | SND_CTL_EXT_ACCESS_TLV_CALLBACK;
  *count = 1;
  return 0;
}

static int on_range(snd_ctl_ext_t *io, snd_ctl_ext_key_t key, long *least, long *most, long *step) {
  *least = 0;
  *most = knob_of(io, key)->most;
  *step = 1;
  return 0;
}

static int on_decibels(snd_ctl_ext_t *io, snd_ctl_ext_key_t key, int operation, unsigned number,
                       unsigned *tlv, unsigned bytes) {
  (void)number;
  const knob *knob = knob_of(io, key);
  if (operation != 0 || knob->is_switch)
    return -ENXIO;
  if (bytes < 4 * sizeof *tlv)
    return -ENOMEM;
  tlv[0] = SND_CTL_TLVT_DB_SCALE;
  tlv[1] = 2 * sizeof *tlv;
  tlv[2] = (unsigned)knob->least_decibels;
  tlv[3] = (unsigned)knob->step;
  return 0;
}

static int on_read(snd_ctl_ext_t *io, snd_ctl_ext_key_t key, long *value) {
  pthread_mutex_lock(&lock);
  *value = knob_of(io, key)->value;
  pthread_mutex_unlock(&lock);
  return 0;
}

static int on_write(snd_ctl_ext_t *io, snd_ctl_ext_key_t key, long *value) {
  knob *knob = knob_of(io, key);
  if (*value < 0 || *value > knob->most)
    return -EINVAL;
  pthread_mutex_lock(&lock);
  bool changes = knob->value != *value;
  knob->value = *value;
  pthread_mutex_unlock(&lock);
  return changes;
}

static int on_event(snd_ctl_ext_t *io, snd_ctl_elem_id_t *id, unsigned *mask) {
  (void)io, (void)id, (void)mask;
  return -EAGAIN;
}

static const snd_ctl_ext_callback_t callbacks = {
    .close = on_close,
    .elem_count = on_count,
    .elem_list = on_list,
    .find_elem = on_find,
    .get_attribute = on_attribute,
    .get_integer_info = on_range,
    .read_integer = on_read,
    .write_integer = on_write,
    .read_event = on_event,
};

/// alsa-lib unloads a plugin at its last close; the knobs stay as they were set.
static void stay_loaded(void) {
  Dl_info self;
  if (dladdr((void *)&stay_loaded, &self))
    dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}

static int read_configuration(snd_config_t *configuration, const char **room, const char **model) {
  snd_config_iterator_t at, next;
  snd_config_for_each(at, next, configuration) {
    snd_config_t *entry = snd_config_iterator_entry(at);
    const char *key;
    if (snd_config_get_id(entry, &key) < 0 || strcmp(key, "comment") == 0 ||
        strcmp(key, "type") == 0 || strcmp(key, "hint") == 0)
      continue;
    const char **value = strcmp(key, "room") == 0 ? room : strcmp(key, "model") == 0 ? model : NULL;
    if (!value) {
      SNDERR("simroom: unknown field %s", key);
      return -EINVAL;
    }
    if (snd_config_get_string(entry, value) < 0)
      return -EINVAL;
  }
  return 0;
}

#pragma GCC visibility push(default)

SND_CTL_PLUGIN_DEFINE_FUNC(simroom) {
  (void)root;
  const char *room = "default", *model = "speakerphone";
  int result = read_configuration(conf, &room, &model);
  if (result < 0)
    return result;
  stay_loaded();
  mixer *self = calloc(1, sizeof *self);
  if (!self)
    return -ENOMEM;
  self->card = card_named(room, model);
  if (!self->card) {
    free(self);
    return -ENOMEM;
  }
  self->io.version = SND_CTL_EXT_VERSION;
  snprintf(self->io.id, sizeof self->io.id, "%s", room);
  snprintf(self->io.driver, sizeof self->io.driver, "simroom");
  snprintf(self->io.name, sizeof self->io.name, "Simulated %s", model);
  snprintf(self->io.longname, sizeof self->io.longname, "Simulated %s %s", model, room);
  snprintf(self->io.mixername, sizeof self->io.mixername, "Simulated mixer");
  self->io.poll_fd = -1;
  self->io.callback = &callbacks;
  self->io.private_data = self;
  self->io.tlv.c = on_decibels;
  result = snd_ctl_ext_create(&self->io, name, mode);
  if (result < 0) {
    free(self);
    return result;
  }
  *handlep = self->io.handle;
  return 0;
}
SND_CTL_PLUGIN_SYMBOL(simroom);

#pragma GCC visibility pop
