#ifndef VC_BULK_DELAY_H
#define VC_BULK_DELAY_H

#include <stdbool.h>
#include <stdint.h>

#include "voice_realtime.h"

/// Finds by how much the echo comes later than the device's report says: a running correlation of
/// the phases of both signals over 0 to 1 s. It needs a second or two of the agent's speech, does
/// the same little work at every block, and forgets within some seconds what is no longer so.
typedef struct vc_bulk_delay vc_bulk_delay;

/// Longest delay that is found, in frames at 48 kHz.
#define VC_BULK_DELAY_MAX_FRAMES 48000

/// Result: 0 or -ENOMEM. Role: any; allocates everything it ever needs.
int vc_bulk_delay_create(vc_bulk_delay **out);
void vc_bulk_delay_destroy(vc_bulk_delay *delay);
/// Takes 10 ms of each side, 480 samples at 48 kHz that begin at the same capture frame.
/// - reference: what is heard then by the device's own report.
/// Role: the device's one thread.
void vc_bulk_delay_push(vc_bulk_delay *delay, const float *reference,
                        const float *microphone) VD_NONBLOCKING;
/// The same at 16 kHz, 160 samples. A delay takes one or the other for its whole life.
void vc_bulk_delay_push_narrow(vc_bulk_delay *delay, const float *reference,
                               const float *microphone) VD_NONBLOCKING;
/// Frames by which the echo comes later than the reference. Result: false until it is certain.
bool vc_bulk_delay_read(const vc_bulk_delay *delay, uint32_t *frames) VD_NONBLOCKING;
/// Forgets everything: the device was started anew.
void vc_bulk_delay_reset(vc_bulk_delay *delay) VD_NONBLOCKING;

#endif
