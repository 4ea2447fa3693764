#ifndef VOICE_PACKET_H
#define VOICE_PACKET_H

#include <stdint.h>

/// Longest Opus payload of one 20 ms packet, in bytes (RFC 6716, section 3.2.1: 1275).
#define VD_PACKET_PAYLOAD_MAX 1276

/// Kinds of a media frame, as on the wire (contract part 3).
enum { VD_PACKET_OPUS = 1, VD_PACKET_PCM16 = 2, VD_PACKET_END = 3 };

/// One packet of speech between the core, the call and the router.
typedef struct {
  uint32_t generation; ///< the utterance of the agent it belongs to; 0 on the way up
  uint32_t sequence;   ///< counts packets of one sender
  uint32_t timestamp;  ///< first sample, in 48 kHz samples; on the way up: capture frames
  uint16_t participant;
  uint16_t bytes; ///< of `payload` used
  uint8_t kind;
  uint8_t reserved[3];
  uint8_t payload[VD_PACKET_PAYLOAD_MAX];
} vd_packet;

#endif
