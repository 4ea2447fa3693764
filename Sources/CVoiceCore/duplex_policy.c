#include "duplex_policy.h"

static void fail(vc_duplex_policy *policy) VD_NONBLOCKING {
  policy->is_full = false;
  policy->calm_windows = policy->vain = policy->full_blocks = 0;
  uint32_t next = 2 * policy->needed;
  policy->needed = next < VC_DUPLEX_PROOF_MOST ? next : VC_DUPLEX_PROOF_MOST;
}

/// Who coughs or says "mm-hm" is heard as nothing too, but not that often.
static bool answers_itself(vc_duplex_policy *policy, const vc_duplex_input *input) VD_NONBLOCKING {
  uint32_t more = input->overs - policy->overs;
  policy->overs = input->overs;
  if (!policy->is_full)
    return false;
  policy->vain_blocks = policy->vain ? policy->vain_blocks + input->sounds : 0;
  if (policy->vain_blocks > VC_DUPLEX_FORGETS_BLOCKS)
    policy->vain = 0;
  policy->vain += more;
  return policy->vain >= VC_DUPLEX_VAIN_MOST;
}

bool vc_duplex_policy_step(vc_duplex_policy *policy, const vc_duplex_input *input) VD_NONBLOCKING {
  if (policy->needed == 0)
    policy->needed = VC_DUPLEX_PROOF_WINDOWS;
  bool is_vain = answers_itself(policy, input);
  if (policy->is_full) {
    if (!input->cancels || input->is_disturbed || is_vain) {
      fail(policy);
    } else if (input->sounds && ++policy->full_blocks > VC_DUPLEX_TRUSTED_BLOCKS) {
      policy->needed = VC_DUPLEX_PROOF_WINDOWS;
      policy->full_blocks = 0;
    }
    return policy->is_full;
  }
  if (!input->cancels || input->is_disturbed) {
    policy->calm_windows = 0;
  } else if (input->sounds && input->has_window) {
    policy->calm_windows = input->is_voiced ? 0 : policy->calm_windows + 1;
    policy->is_full = policy->calm_windows >= policy->needed;
  }
  return policy->is_full;
}
