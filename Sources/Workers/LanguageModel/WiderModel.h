#pragma once

#include "llama.h"
#include <string>

namespace worker {

/// Loads a model with its weights as numbers of eight bits, whatever the file has. Four bits are
/// half the file, but the engine has no quick way to read a prompt with the pinned file's kind:
/// 16 tokens cost 90 ms of one core, with eight bits 53, and a token more 10.7 and 8.5 (measured;
/// the same answers). The start costs about a second more, the memory 47 MB.
///
/// Result: null when the file cannot be read. When only the conversion fails, the file as it is.
llama_model *loadWider(const std::string &path, int threads);

} // namespace worker
