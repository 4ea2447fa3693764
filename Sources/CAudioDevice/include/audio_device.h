#ifndef AUDIO_DEVICE_H
#define AUDIO_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#include "voice_port.h"

VD_BEGIN_DECLS

#define AD_NAME_BYTES 128
#define AD_TEXT_BYTES 320
#define AD_NOTES_MAX 4

/// Which PCMs to open, and how.
typedef struct {
  char capture[AD_NAME_BYTES];    ///< ALSA name, or "auto": the first card with both directions
  char playback[AD_NAME_BYTES];   ///< ALSA name, or "auto"
  uint32_t prefill_periods;       ///< silence ahead of the speech at the start, 10 ms each
  uint32_t hidden_latency_frames; ///< between the driver's report and the air, at 48 kHz
} ad_config;

/// What is open, and how it runs.
typedef struct {
  char capture[AD_TEXT_BYTES];  ///< name and format
  char playback[AD_TEXT_BYTES]; ///< name and format
  char notes[AD_NOTES_MAX][AD_TEXT_BYTES];
  uint32_t note_count;
  uint8_t running;
  uint8_t realtime; ///< the audio thread runs under SCHED_FIFO
  uint64_t xruns;
  uint64_t spurious_wakes;    ///< poll said ready, and less than a block was there
  uint64_t refused_frames;    ///< that the playback buffer had no room for
  uint32_t play_delay_frames; ///< at the last block
  uint32_t prefill_periods;   ///< grows by one after each underrun, to 12
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
/// Starts the audio thread. Result: 0 or a negative errno.
int ad_device_start(ad_device *device);
/// Ends the audio thread and closes the device; NULL is allowed. Blocks for a few periods.
void ad_device_close(ad_device *device);
/// Role: application.
void ad_device_status(const ad_device *device, ad_status *status);
/// Why the device was lost, or "". Role: application, after VC_EVENT_DEVICE_LOST.
const char *ad_device_lost_reason(const ad_device *device);

VD_END_DECLS

#endif
