#ifndef AUDIO_DEVICE_H
#define AUDIO_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#include "voice_port.h"

VD_BEGIN_DECLS

#define AD_NAME_BYTES 128
#define AD_TEXT_BYTES 320
#define AD_NOTES_MAX 4
#define AD_REFUSALS_MAX 8

/// How frames are moved into and out of a device.
enum { AD_ACCESS_COPIED = 0, AD_ACCESS_MAPPED = 1 };

/// Which PCMs to open, and how. Zero is the default of every number.
typedef struct {
  char capture[AD_NAME_BYTES];    ///< ALSA name, or "auto": the first card with both directions
  char playback[AD_NAME_BYTES];   ///< ALSA name, or "auto"
  uint32_t prefill_periods;       ///< silence ahead of the speech at the start, 10 ms each
  uint32_t hidden_latency_frames; ///< between the driver's report and the air, at 48 kHz
  uint32_t speaker; ///< a number of the speaker's own: what was found of another one is forgotten
  uint32_t microphone_channel; ///< the one that is heard, from 1; 0: the mean of all
  uint32_t reference_channel;  ///< carries what the speaker plays, from 1; 0: there is none
  uint32_t period_us;          ///< 1,000 to 100,000; 10,000 where it is 0
  uint32_t buffer_periods;     ///< 8 where it is 0
  uint8_t access;              ///< AD_ACCESS_..., tried first; the other is taken where needed
  uint8_t is_untimed;          ///< nonzero: its clock is not held against the time, for tests
  uint8_t goes_on_alone;       ///< nonzero: one direction goes on when the other is unplugged
} ad_config;

/// A PCM that was tried and not taken. `voice devices` tells it.
typedef struct {
  char name[AD_NAME_BYTES];
  uint8_t captures;
  int32_t code; ///< negative errno
  char reason[AD_TEXT_BYTES];
} ad_refusal;

/// What one direction has been through.
typedef struct {
  uint64_t restarts; ///< of a PCM that had run
  uint64_t resumes;  ///< attempts to wake it from a suspension
  uint64_t failures; ///< restarts that did not bring it to run
  uint64_t losses;   ///< times it went and the other direction went on
  uint64_t returns;  ///< times it was taken back then
  uint8_t is_running;
  uint8_t is_gone; ///< unplugged, or given up for good
} ad_side_status;

/// What is open, and how it runs. Frames are at 48 kHz.
typedef struct {
  char capture[AD_TEXT_BYTES];  ///< name and format
  char playback[AD_TEXT_BYTES]; ///< name and format
  char notes[AD_NOTES_MAX][AD_TEXT_BYTES];
  uint32_t note_count;
  ad_refusal refusals[AD_REFUSALS_MAX];
  uint32_t refusal_count;
  uint8_t running;
  uint8_t realtime;             ///< the audio thread runs under SCHED_FIFO
  int32_t realtime_error;       ///< errno with which that was refused, or 0
  int32_t memory_lock_error;    ///< errno with which locking the thread's memory was refused, or 0
  uint64_t xruns;               ///< interruptions that ended in a restart, of one side or both
  uint64_t spurious_wakes;      ///< poll said ready, and less than a block was there
  uint64_t wakes;               ///< of the audio thread
  uint64_t stuck;               ///< restarts because nothing moved for a second
  uint64_t refused_frames;      ///< that the playback buffer had no room for
  uint64_t lost_frames;         ///< of the microphone, silence in their place
  uint64_t unplayed_frames;     ///< written and never heard
  uint64_t inserted_frames;     ///< silence between what was written
  uint64_t skipped_frames;      ///< of silence, left out to shorten the way
  uint64_t stalls;              ///< times the microphone's clock stood still without an overrun
  uint64_t silences;            ///< times the microphone delivered exact zeros for 5 s
  uint8_t microphone_is_silent; ///< it does so now
  ad_side_status microphone, speaker;
  uint32_t play_delay_frames; ///< at the last block
  uint32_t in_flight_frames;  ///< in the speaker and waiting in the microphone, at the last block
  uint32_t prefill_periods;   ///< grows by one after each underrun, to 12; shrinks after 20 s
} ad_status;

/// One ALSA device: a capture PCM and a playback PCM under one audio thread that steps a port.
typedef struct ad_device ad_device;

/// Whether this process may run an audio thread under SCHED_FIFO; asks by starting one that ends at
/// once. Role: any.
int ad_realtime_is_permitted(void);

/// Opens both directions. The port must outlive the device; `wake` is signalled when outputs wait.
/// - error: receives a sentence with the name of the device and what to do.
/// Result: 0; -ENODEV (no such device), -EBUSY, -EACCES, -EINVAL (no usable format), -ENOMEM.
/// Role: application; blocks.
int ad_device_open(ad_device **out, const ad_config *config, vc_port *port, int wake, char *error,
                   size_t error_bytes);
/// Tries what `ad_device_open` would open, and closes it again: the names and refusals in `status`
/// say what happened, also when the result is an error. Role: application; blocks.
int ad_device_probe(const ad_config *config, ad_status *status, char *error, size_t error_bytes);
/// Starts the audio thread. Result: 0 or a negative errno.
int ad_device_start(ad_device *device);
/// Opens what is gone while the other direction goes on, and hands it to the audio thread; what is
/// gone is closed first. Nothing to do is no error.
/// - config: names, and hidden latency of the speaker.
/// Result: as `ad_device_open`. Role: application; blocks.
int ad_device_take_back(ad_device *device, const ad_config *config, char *error,
                        size_t error_bytes);
/// Closes what is gone while the other direction goes on, so that its card may come back under its
/// name. Role: application, after VC_EVENT_SPEAKER_LOST or VC_EVENT_MICROPHONE_LOST; blocks.
void ad_device_let_go(ad_device *device);
/// Ends the audio thread and closes the device; NULL is allowed. Blocks for a few periods.
void ad_device_close(ad_device *device);
/// Role: application.
void ad_device_status(const ad_device *device, ad_status *status);
/// Why the device was lost, or "". Role: application, after VC_EVENT_DEVICE_LOST.
const char *ad_device_lost_reason(const ad_device *device);
/// Why one direction is gone while the other goes on, or "". Role: any.
const char *ad_device_gone_reason(const ad_device *device, int captures);

VD_END_DECLS

#endif
