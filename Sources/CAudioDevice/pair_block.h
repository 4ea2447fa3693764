#ifndef AD_PAIR_BLOCK_H
#define AD_PAIR_BLOCK_H

#include "pair_loop.h"

/// One block in, one block out: the core's step, the reports around it, and the level of sound
/// between microphone and speaker. Errors of the speaker are left in `errors`.
void ad_pair_block(ad_pair_loop *loop, const float *microphone,
                   const float *reference) VD_NONBLOCKING;

#endif
