// The ALSA side of the room: an external I/O plugin (alsa-lib, pcm_ioplug.h). alsa-lib calls
// `start`, `stop`, `pointer` and `transfer` with the PCM locked; nothing here calls back into it,
// except for setting the state of the very PCM that asks.
#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "plugin_configuration.h"
#include "plugin_limits.h"
#include "room.h"
#include "sample_format.h"

/// Learns what the application did since the last call and brings the room to the present.
static void catch_up(room_stream *stream) {
  stream->application = (int64_t)stream->io.appl_ptr;
  stream->draining = stream->io.state == SND_PCM_STATE_DRAINING;
  room_advance(stream->room, stream);
}

/// Makes alsa-lib's state say what the device's is.
static void publish_phase(room_stream *stream, stream_phase phase) {
  if (phase == STREAM_XRUN)
    snd_pcm_ioplug_set_state(&stream->io, SND_PCM_STATE_XRUN);
  else if (phase == STREAM_SUSPENDED)
    snd_pcm_ioplug_set_state(&stream->io, SND_PCM_STATE_SUSPENDED);
  else if (phase == STREAM_GONE)
    snd_pcm_ioplug_set_state(&stream->io, SND_PCM_STATE_DISCONNECTED);
}

static int on_start(snd_pcm_ioplug_t *io) {
  room_stream *stream = io->private_data;
  room_lock(stream->room);
  int result = 0;
  catch_up(stream);
  if (stream->phase == STREAM_GONE) {
    result = -ENODEV;
  } else if (!stream->captures && stream->application == 0) {
    result = -EPIPE; // as the kernel answers: nothing to play
  } else {
    room_clock_begin(&stream->room->clock);
    stream->start = room_clock_frame(&stream->room->clock);
    stream->phase = STREAM_RUNNING;
    stream_arm(stream);
  }
  room_unlock(stream->room);
  return result;
}

static int on_stop(snd_pcm_ioplug_t *io) {
  room_stream *stream = io->private_data;
  room_lock(stream->room);
  catch_up(stream);
  if (stream->phase != STREAM_GONE)
    stream->phase = STREAM_STOPPED;
  room_unlock(stream->room);
  return 0;
}

static snd_pcm_sframes_t on_pointer(snd_pcm_ioplug_t *io) {
  room_stream *stream = io->private_data;
  room_lock(stream->room);
  catch_up(stream);
  stream_arm(stream);
  stream_phase phase = stream->phase;
  snd_pcm_sframes_t hardware = (snd_pcm_sframes_t)stream->hardware;
  room_unlock(stream->room);
  // The state says it; the position stays true, so that what was played can be asked for.
  publish_phase(stream, phase);
  return hardware;
}

/// What lies behind the buffer, as far as the device tells, is part of its delay.
static int on_delay(snd_pcm_ioplug_t *io, snd_pcm_sframes_t *delay) {
  room_stream *stream = io->private_data;
  room_lock(stream->room);
  catch_up(stream);
  *delay = (snd_pcm_sframes_t)(stream->captures ? stream->hardware - stream->application
                                                : stream->application - stream->hardware);
  if (!stream->captures)
    *delay += lrint((double)stream->room->told_latency * stream->rate);
  room_unlock(stream->room);
  return 0;
}

static bool is_plugged(const simroom *room, bool captures) {
  return room->plugged & (captures ? SIMROOM_CAPTURE : SIMROOM_PLAYBACK);
}

static int on_prepare(snd_pcm_ioplug_t *io) {
  room_stream *stream = io->private_data;
  room_lock(stream->room);
  int result = 0;
  if (stream->phase == STREAM_GONE || !is_plugged(stream->room, stream->captures)) {
    result = -ENODEV;
  } else {
    room_advance(stream->room, stream);
    stream->phase = STREAM_STOPPED;
    stream->draining = false;
    stream->hardware = stream->application = 0;
    memset(stream->past, 0, sizeof stream->past);
    memset(stream->line_past, 0, sizeof stream->line_past);
    stream_arm(stream);
  }
  room_unlock(stream->room);
  return result;
}

/// alsa-lib ignores the result and leaves the state alone, so the state is set here.
static int on_resume(snd_pcm_ioplug_t *io) {
  room_stream *stream = io->private_data;
  room_lock(stream->room);
  room_advance(stream->room, stream);
  if (stream->phase == STREAM_SUSPENDED && stream->resumes_that_lie > 0) {
    stream->resumes_that_lie--;
  } else if (stream->phase == STREAM_SUSPENDED) {
    stream_set_rate(stream, stream->rate, room_clock_frame(&stream->room->clock));
    stream->phase = STREAM_RUNNING;
    stream_arm(stream);
    snd_pcm_ioplug_set_state(io, SND_PCM_STATE_RUNNING);
  }
  room_unlock(stream->room);
  return 0;
}

static int on_hardware_parameters(snd_pcm_ioplug_t *io, snd_pcm_hw_params_t *parameters) {
  (void)parameters;
  room_stream *stream = io->private_data;
  if (io->buffer_size > STREAM_MAX_BUFFER)
    return -EINVAL;
  bool has_line = stream->captures && stream->line_channel;
  float *queue = calloc(io->buffer_size, sizeof *queue);
  float *line = has_line ? calloc(io->buffer_size, sizeof *line) : NULL;
  if (!queue || (has_line && !line)) {
    free(queue);
    free(line);
    return -ENOMEM;
  }
  room_lock(stream->room);
  free(stream->queue);
  free(stream->line);
  stream->queue = queue;
  stream->line = line;
  stream->capacity = stream->stop_threshold = (int64_t)io->buffer_size;
  stream->period = stream->avail_min = (int64_t)io->period_size;
  double ppm = stream->room->ppm[stream->captures ? ROOM_CAPTURE : ROOM_PLAYBACK];
  stream->rate = (double)io->rate / ROOM_RATE * (1 + ppm * 1e-6);
  int result = stream->phase == STREAM_GONE ? -ENODEV : 0;
  room_unlock(stream->room);
  return result;
}

static int on_software_parameters(snd_pcm_ioplug_t *io, snd_pcm_sw_params_t *parameters) {
  room_stream *stream = io->private_data;
  snd_pcm_uframes_t avail_min, stop_threshold;
  snd_pcm_sw_params_get_avail_min(parameters, &avail_min);
  snd_pcm_sw_params_get_stop_threshold(parameters, &stop_threshold);
  room_lock(stream->room);
  stream->avail_min = (int64_t)avail_min;
  stream->stop_threshold = stop_threshold > INT64_MAX ? INT64_MAX : (int64_t)stop_threshold;
  room_unlock(stream->room);
  return 0;
}

static int on_poll(snd_pcm_ioplug_t *io, struct pollfd *descriptors, unsigned count,
                   unsigned short *events) {
  (void)descriptors;
  (void)count;
  room_stream *stream = io->private_data;
  unsigned short way = stream->captures ? POLLIN : POLLOUT;
  room_lock(stream->room);
  catch_up(stream);
  stream_arm(stream);
  stream_phase phase = stream->phase;
  bool ready = stream_is_ready(stream);
  if (!ready)
    stream->room->counters[SIMROOM_SPURIOUS_WAKES]++;
  room_unlock(stream->room);
  publish_phase(stream, phase);
  bool failed = phase != STREAM_RUNNING && phase != STREAM_STOPPED;
  *events = failed ? way | POLLERR : ready ? way : 0;
  return 0;
}

/// Takes what the application writes.
static void transfer_in(room_stream *stream, const snd_pcm_channel_area_t *areas,
                        snd_pcm_uframes_t offset, snd_pcm_uframes_t count) {
  snd_pcm_ioplug_t *io = &stream->io;
  for (snd_pcm_uframes_t i = 0; i < count; i++)
    stream->queue[(stream->application + (int64_t)i) % stream->capacity] =
        sample_format_read(areas, io->channels, io->format, offset + i);
  stream->application += (int64_t)count;
}

/// What channel `channel`, from 1, has of the captured frame in `slot`.
static float sound_of(const room_stream *stream, unsigned channel, int64_t slot) {
  if (stream->line && channel == stream->line_channel)
    return stream->line[slot];
  return stream->only_channel == 0 || channel == stream->only_channel ? stream->queue[slot] : 0;
}

/// Hands out what was captured. With memory-mapped access alsa-lib asks before every read and may
/// ask for the same frames again, so everything unread is laid out and nothing is consumed.
static void transfer_out(room_stream *stream, const snd_pcm_channel_area_t *areas,
                         snd_pcm_uframes_t offset, snd_pcm_uframes_t count) {
  snd_pcm_ioplug_t *io = &stream->io;
  bool mapped = io->access == SND_PCM_ACCESS_MMAP_INTERLEAVED ||
                io->access == SND_PCM_ACCESS_MMAP_NONINTERLEAVED;
  if (mapped)
    count = (snd_pcm_uframes_t)(stream->hardware - stream->application);
  for (snd_pcm_uframes_t i = 0; i < count; i++) {
    int64_t slot = (stream->application + (int64_t)i) % stream->capacity;
    snd_pcm_uframes_t at = mapped ? (snd_pcm_uframes_t)slot : offset + i;
    for (unsigned channel = 0; channel < io->channels; channel++)
      sample_format_write(&areas[channel], io->format, at, sound_of(stream, channel + 1, slot));
  }
  if (!mapped)
    stream->application += (int64_t)count;
}

static snd_pcm_sframes_t on_transfer(snd_pcm_ioplug_t *io, const snd_pcm_channel_area_t *areas,
                                     snd_pcm_uframes_t offset, snd_pcm_uframes_t count) {
  room_stream *stream = io->private_data;
  room_lock(stream->room);
  stream->application = (int64_t)io->appl_ptr;
  if (stream->captures)
    transfer_out(stream, areas, offset, count);
  else
    transfer_in(stream, areas, offset, count);
  stream_arm(stream);
  room_unlock(stream->room);
  return (snd_pcm_sframes_t)count;
}

static int on_close(snd_pcm_ioplug_t *io) {
  room_stream *stream = io->private_data;
  simroom *room = stream->room;
  room_lock(room);
  // One that was refused because another has its place leaves that alone.
  room_stream **place = &room->streams[stream->captures ? ROOM_CAPTURE : ROOM_PLAYBACK];
  if (*place == stream)
    *place = NULL;
  // A program that ends after its last close leaves a complete recording.
  if (!room->streams[ROOM_PLAYBACK] && !room->streams[ROOM_CAPTURE])
    recorder_flush(room);
  room_unlock(room);
  close(stream->timer);
  free(stream->queue);
  free(stream->line);
  free(stream);
  return 0;
}

static const snd_pcm_ioplug_callback_t callbacks = {
    .start = on_start,
    .stop = on_stop,
    .pointer = on_pointer,
    .transfer = on_transfer,
    .delay = on_delay,
    .close = on_close,
    .hw_params = on_hardware_parameters,
    .sw_params = on_software_parameters,
    .prepare = on_prepare,
    .resume = on_resume,
    .poll_revents = on_poll,
};

/// alsa-lib unloads a plugin at its last close; the rooms and their writers live on in it.
static void stay_loaded(void) {
  Dl_info self;
  if (dladdr((void *)&stay_loaded, &self))
    dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}

/// Applies the file's fields to a room that this open has made.
static int furnish(simroom *room, const plugin_configuration *configuration) {
  room->clock.manual = configuration->manual_clock;
  room->ppm[ROOM_CAPTURE] = configuration->card.capture_ppm;
  room->ppm[ROOM_PLAYBACK] = configuration->card.playback_ppm;
  (void)room_set_latency(room, lrint(configuration->playback_latency_ms * ROOM_RATE / 1000),
                         lrint(configuration->hidden_latency_ms * ROOM_RATE / 1000));
  if (configuration->faults && fault_script_read(&room->script, configuration->faults))
    return -EINVAL;
  int result = room_set_acoustics(room, &configuration->acoustics, configuration->impulse_response);
  if (!result && configuration->record)
    result = recorder_start(room, configuration->record);
  return result;
}

static int place_stream(simroom *room, room_stream *stream, bool captures) {
  room_stream **place = &room->streams[captures ? ROOM_CAPTURE : ROOM_PLAYBACK];
  if (!is_plugged(room, captures))
    return -ENODEV;
  if (*place)
    return -EBUSY;
  *place = stream;
  return 0;
}

static room_stream *make_stream(simroom *room, bool captures) {
  room_stream *stream = calloc(1, sizeof *stream);
  if (!stream)
    return NULL;
  stream->room = room;
  stream->captures = captures;
  stream->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  if (stream->timer < 0) {
    free(stream);
    return NULL;
  }
  stream->io.version = SND_PCM_IOPLUG_VERSION;
  stream->io.name = "Simulated room";
  stream->io.flags = SND_PCM_IOPLUG_FLAG_MONOTONIC | SND_PCM_IOPLUG_FLAG_BOUNDARY_WA;
  stream->io.poll_fd = stream->timer;
  stream->io.poll_events = POLLIN;
  stream->io.callback = &callbacks;
  stream->io.private_data = stream;
  return stream;
}

static int open_stream(snd_pcm_t **out, simroom *room, const plugin_card *card, const char *name,
                       snd_pcm_stream_t direction, int mode) {
  bool captures = direction == SND_PCM_STREAM_CAPTURE;
  room_stream *stream = make_stream(room, captures);
  if (!stream)
    return -ENOMEM;
  int result = snd_pcm_ioplug_create(&stream->io, name, direction, mode);
  if (result < 0) {
    close(stream->timer);
    free(stream);
    return result;
  }
  stream->only_channel = card->microphone_channel;
  stream->line_channel = card->reference_channel;
  result = plugin_limit(&stream->io, card);
  if (result >= 0) {
    room_lock(room);
    result = place_stream(room, stream, captures);
    room_unlock(room);
  }
  if (result < 0)
    snd_pcm_ioplug_delete(&stream->io);
  else
    *out = stream->io.pcm;
  return result;
}

#pragma GCC visibility push(default)

SND_PCM_PLUGIN_DEFINE_FUNC(simroom) {
  (void)root;
  plugin_configuration configuration;
  int result = plugin_configuration_read(&configuration, conf);
  if (result)
    return result;
  stay_loaded();
  bool made;
  simroom *room = room_named(configuration.room, &made);
  if (!room)
    return -ENOMEM;
  if (made) {
    room_lock(room);
    result = furnish(room, &configuration);
    room_unlock(room);
    if (result) {
      SNDERR("simroom: room '%s' cannot be made: %s", configuration.room, snd_strerror(result));
      return result;
    }
  }
  return open_stream(pcmp, room, &configuration.card, name, stream, mode);
}
SND_PCM_PLUGIN_SYMBOL(simroom);

#pragma GCC visibility pop
