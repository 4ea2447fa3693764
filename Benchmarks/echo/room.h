#ifndef ECHO_ROOM_H
#define ECHO_ROOM_H

#include <stddef.h>

#include "dice.h"

/// A rectangular room with one source and one microphone; metres and seconds.
typedef struct room {
  double size[3];
  double source[3];
  double microphone[3];
  double reverberation; ///< time to fall by 60 dB
} room;

/// Writes the room's impulse response at 16 kHz: images of the source up to 60 ms, beyond them a
/// decaying noise that continues their energy. Its direct sound is at the true distance, of gain 1.
void room_response(const room *room, dice *dice, double *response, size_t taps);

#endif
