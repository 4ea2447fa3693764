#pragma once
#include <string>

namespace worker {

/// Makes a transcript out of what the recogniser wrote: without its notes about noise
/// (`[BLANK_AUDIO]`, `(music)`, `*sighs*`), without a phrase it got stuck on, trimmed.
std::string transcriptWording(const std::string &raw);

} // namespace worker
