#ifndef GUEST_H
#define GUEST_H

#include <stdint.h>

#include "audio_device.h"
#include "audio_wake.h"
#include "checks.h"
#include "voice_port.h"

/// A device of ours on real sound cards, in real time: the checks run inside a small machine whose
/// kernel has them (Tests/kernel-core.sh).
typedef struct {
  vc_port *port;
  ad_device *device;
  int wake;
  uint64_t packets;
  uint64_t xrun_events;
  uint64_t lost_events;
  float loudest_microphone; ///< of the recording since the last `guest_forget_sound`
  float loudest_speaker;
} guest;

/// Opens and starts a pair by ALSA names; waits up to `patience_ms` for a card that comes back.
/// Result: 0, or the errno of the last attempt.
int guest_begin(guest *made, const char *capture, const char *playback, int patience_ms);
/// Closes the device and opens it again, the port living on. Result: as `guest_begin`.
int guest_reopen(guest *talk, const char *capture, const char *playback, int patience_ms);
void guest_end(guest *talk);

/// Lets time pass while outputs are taken. Result: blocks of 10 ms that were stepped.
uint64_t guest_pass(guest *talk, int duration_ms);
/// Waits until the audio thread has given the device up. Result: 1, or 0 after `patience_ms`.
int guest_wait_lost(guest *talk, int patience_ms);
/// Says a tone of `packets` times 20 ms.
void guest_speak(guest *talk, uint32_t generation, int packets);
void guest_forget_sound(guest *talk);
ad_status guest_status(const guest *talk);

/// Writes a word into a file of the kernel. Result: 0 or -errno.
int guest_write(const char *path, const char *word);
int64_t guest_now_ms(void);

#endif
