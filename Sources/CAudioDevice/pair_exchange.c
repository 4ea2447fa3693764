#include "pair_exchange.h"

#include <stddef.h>

static ad_pcm **place_of(ad_pair_loop *loop, int side) VD_NONBLOCKING {
  return side == AD_MICROPHONE ? &loop->pair.capture : &loop->pair.playback;
}

static ad_side_recovery *recovery_of(ad_pair_loop *loop, int side) VD_NONBLOCKING {
  return side == AD_MICROPHONE ? &loop->recovery.capture : &loop->recovery.playback;
}

/// Another PCM begins: nothing of the last one holds for it.
static void begin(ad_pair_loop *loop, int side) {
  *recovery_of(loop, side) =
      (ad_side_recovery){.moved_ns = loop->calls->now_ns(), .wants_restart = true};
  loop->errors[side] = 0;
  loop->moved[side] = false;
  loop->has_run[side] = false;
  if (side == AD_MICROPHONE) {
    loop->waiting_frames = 0;
    loop->clock = (ad_capture_clock){0};
  }
  ad_pair_begin_level(loop);
}

bool ad_pair_let_go(ad_pair_loop *loop, int side) VD_NONBLOCKING {
  int other = side == AD_MICROPHONE ? AD_SPEAKER : AD_MICROPHONE;
  if (loop->is_absent[side])
    return true;
  if (!loop->absent[side] || loop->is_absent[other])
    return false;
  loop->is_absent[side] = true;
  atomic_store_explicit(&loop->retired[side], *place_of(loop, side), memory_order_release);
  *place_of(loop, side) = loop->absent[side];
  // The microphone's stand-in runs as any microphone; the speaker's is never asked to.
  if (side == AD_MICROPHONE) {
    begin(loop, side);
  } else {
    *recovery_of(loop, side) = (ad_side_recovery){.is_gone = true};
    loop->errors[side] = 0;
    loop->has_run[side] = false;
  }
  return true;
}

void ad_pair_take_offers(ad_pair_loop *loop) VD_NONBLOCKING {
  for (int side = 0; side < 2; side++) {
    if (!loop->is_absent[side])
      continue;
    ad_pcm *offered = atomic_load_explicit(&loop->offered[side], memory_order_acquire);
    if (!offered)
      continue;
    *place_of(loop, side) = offered;
    loop->is_absent[side] = false;
    begin(loop, side);
    atomic_store_explicit(&loop->counters.is_gone[side], 0, memory_order_relaxed);
    atomic_store_explicit(&loop->offered[side], NULL, memory_order_release);
    ad_count(&loop->counters.returns[side], 1);
  }
}

bool ad_pair_may_offer(ad_pair_loop *loop, int side) VD_NONBLOCKING {
  // In this order: the thread clears the first before the second.
  return !atomic_load_explicit(&loop->offered[side], memory_order_acquire) &&
         atomic_load_explicit(&loop->counters.is_gone[side], memory_order_acquire);
}

void ad_pair_close_retired(ad_pair_loop *loop, int side) {
  ad_pcm_close(atomic_exchange_explicit(&loop->retired[side], NULL, memory_order_acquire));
}

void ad_pair_offer(ad_pair_loop *loop, int side, ad_pcm *pcm) VD_NONBLOCKING {
  atomic_store_explicit(&loop->offered[side], pcm, memory_order_release);
}

void ad_pair_close_exchanged(ad_pair_loop *loop) {
  for (int side = 0; side < 2; side++) {
    ad_pcm_close(atomic_exchange(&loop->retired[side], NULL));
    ad_pcm_close(atomic_exchange(&loop->offered[side], NULL));
    // One that stands in is closed with the pair.
    if (!loop->is_absent[side])
      ad_pcm_close(loop->absent[side]);
    loop->absent[side] = NULL;
  }
}
