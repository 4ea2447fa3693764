#ifndef AUDIO_CARDS_H
#define AUDIO_CARDS_H

#include <stddef.h>
#include <stdint.h>

#include "voice_realtime.h"

VD_BEGIN_DECLS

/// PCM devices listed at most.
#define AD_CARD_DEVICES_MAX 64

/// One PCM device of a sound card.
typedef struct {
  int32_t card;
  int32_t device;
  char card_id[32];
  char card_name[96];
  char device_name[96];
  uint8_t captures;
  uint8_t plays;
} ad_card_device;

/// Lists the PCM devices of all cards through their control devices: no PCM is opened, so no sound
/// server is woken. Result: how many were written, or a negative errno.
long ad_cards_list(ad_card_device *out, size_t capacity);
/// Asks a control device (`hw:CARD=...`) for its card's name. Result: 0 or a negative errno of the
/// open: -EACCES when this user may not.
int ad_card_name(const char *control_name, ad_card_device *out);
/// Asks it for the name of the PCM device `out->device`. Result: 0 or a negative errno.
int ad_card_device_name(const char *control_name, ad_card_device *out);

/// Bytes of memory that this process may lock; -1 for all of it. Role: any.
int64_t ad_lockable_bytes(void);

VD_END_DECLS

#endif
