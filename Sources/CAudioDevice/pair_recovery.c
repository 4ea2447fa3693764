#include "pair_recovery.h"

#include <errno.h>

/// Pauses before the restarts in a row: the first is made at once, for the common xrun.
static int64_t pause_before(uint32_t restarts) {
  if (restarts == 0)
    return 0;
  return restarts < 5 ? 20000000 : 100000000;
}

/// Answers that no restart changes. -EBADFD is not among them: it also says "not in this state".
static bool means_gone(int error) {
  return error == -ENODEV || error == -ENXIO || error == -ENOTTY || error == -EBADF ||
         error == -ESHUTDOWN;
}

static ad_remedy restart(ad_side_recovery *side, int64_t now_ns) {
  if (side->restarts >= AD_RESTARTS_MAX)
    return AD_GIVE_UP;
  if (now_ns < side->not_before_ns)
    return AD_HOLD;
  side->restarts++;
  side->not_before_ns = now_ns + pause_before(side->restarts);
  return AD_RESTART;
}

static ad_remedy look_at_running(ad_side_recovery *side, int64_t now_ns) {
  if (side->wants_restart)
    return restart(side, now_ns);
  if (now_ns - side->moved_ns <= AD_STUCK_NS)
    return AD_KEEP;
  if (side->stuck >= AD_STUCK_RESTARTS_MAX)
    return AD_GIVE_UP;
  side->stuck++;
  return restart(side, now_ns);
}

static ad_remedy look_at(ad_side_recovery *side, const ad_look *look, int64_t now_ns) {
  if (look->state == AD_GONE || means_gone(look->error))
    side->is_gone = true;
  if (side->is_gone || side->is_deaf)
    return AD_GIVE_UP;
  if (look->moved) {
    side->restarts = side->stuck = 0;
    side->moved_ns = now_ns;
    side->not_before_ns = 0;
  }
  if (look->state == AD_RUNNING && look->error == 0)
    return look_at_running(side, now_ns);
  if (look->state == AD_SUSPENDED && side->resumes < AD_RESUMES_MAX) {
    if (now_ns < side->not_before_ns)
      return AD_HOLD;
    side->resumes++;
    return AD_RESUME;
  }
  return restart(side, now_ns);
}

ad_pair_remedy ad_pair_looked(ad_pair_recovery *pair, const ad_look *capture,
                              const ad_look *playback, int64_t now_ns) VD_NONBLOCKING {
  ad_pair_remedy remedy = {.capture = look_at(&pair->capture, capture, now_ns)};
  ad_side_recovery *speaker = &pair->playback;
  if (remedy.capture != AD_KEEP) {
    // Nothing is written without the microphone: the speaker may play out, and then waits. Only a
    // suspension is worth ending at the same time.
    speaker->moved_ns = now_ns;
    bool may_resume = playback->state == AD_SUSPENDED && remedy.capture == AD_RESUME;
    remedy.playback = may_resume ? look_at(speaker, playback, now_ns)
                                 : (playback->state == AD_RUNNING ? AD_KEEP : AD_HOLD);
    return remedy;
  }
  bool flows = capture->moved || now_ns - pair->capture.moved_ns <= AD_FLOWING_NS;
  if (!flows && !speaker->is_gone && playback->state == AD_DRY) {
    speaker->moved_ns = now_ns;
    remedy.playback = AD_HOLD;
    return remedy;
  }
  remedy.playback = look_at(speaker, playback, now_ns);
  if (remedy.playback == AD_GIVE_UP && !speaker->is_gone) {
    // It is there and refuses: asked again once in a while, and the microphone goes on.
    *speaker = (ad_side_recovery){.moved_ns = now_ns,
                                  .not_before_ns = now_ns + AD_SPEAKER_RETRY_NS,
                                  .restarts = AD_RESTARTS_MAX - 1,
                                  .wants_restart = true};
    remedy.playback = AD_HOLD;
  }
  return remedy;
}

void ad_side_resumed(ad_side_recovery *side, int result, int64_t now_ns) VD_NONBLOCKING {
  side->wants_restart = true;
  if (result == -EAGAIN)
    side->not_before_ns = now_ns + AD_RESUME_PAUSE_NS;
  else
    side->resumes = AD_RESUMES_MAX;
}

void ad_side_restarted(ad_side_recovery *side, int64_t now_ns) VD_NONBLOCKING {
  side->moved_ns = now_ns;
  side->resumes = 0;
  side->wants_restart = false;
}
