#ifndef AD_PAIR_EXCHANGE_H
#define AD_PAIR_EXCHANGE_H

#include "pair_loop.h"

// One direction leaves and comes back while the audio thread goes on with the other. The thread
// neither opens nor closes: it lets go of a PCM that is gone, and takes the one that it is offered.

/// The audio thread: the direction is gone. What stands in for it takes its place, if there is one.
/// Result: whether the other goes on without it.
bool ad_pair_let_go(ad_pair_loop *loop, int side) VD_NONBLOCKING;
/// The audio thread: takes what was offered in the place of what is gone.
void ad_pair_take_offers(ad_pair_loop *loop) VD_NONBLOCKING;

/// The application: whether nothing is offered at this moment, and what is gone may be replaced.
bool ad_pair_may_offer(ad_pair_loop *loop, int side) VD_NONBLOCKING;
/// The application: closes what the audio thread let go of. A card whose handles stay open keeps
/// its place, and would come back under another name.
void ad_pair_close_retired(ad_pair_loop *loop, int side);
/// The application: hands over a PCM that is open. Once more only when `ad_pair_may_offer` says so.
void ad_pair_offer(ad_pair_loop *loop, int side, ad_pcm *pcm) VD_NONBLOCKING;
/// The application, when the thread has ended: closes what is on its way either way.
void ad_pair_close_exchanged(ad_pair_loop *loop);

#endif
