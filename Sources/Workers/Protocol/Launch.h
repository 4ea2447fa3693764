#pragma once
#include "Protocol/Channel.h"
#include <chrono>
#include <string>

namespace worker {

/// How a worker was started.
struct Options {
  std::string models; ///< directory of the model files
  int threads = 1;    ///< inference threads
};

/// A reason not to start, told to the router as an error of request 0.
struct StartFailure : std::runtime_error {
  StartFailure(std::string code, const std::string &message)
      : std::runtime_error(message), code(std::move(code)) {}
  std::string code;
};

/// Reads `--models DIR` and `--threads N`.
///
/// Models lie by default in `$VOICE_CACHE/models`, else beside the engines. Threads: the cores
/// less one, because two inference threads on two busy cores are several times slower than one.
/// @throws StartFailure for an unknown option or a value that is none.
Options parseOptions(int count, char **arguments);

/// Directory of the program file, links resolved.
std::string programDirectory();

/// Makes the process fit for a child of the router: no debugger on a failed assertion, no backend
/// from the environment, interrupts left to the router, a lost reader seen as a write error.
void prepareProcess();

/// Loads the CPU variant of ggml that suits this machine, and logs which it is.
///
/// Neither engine does this itself, and without it whisper aborts the process.
/// @throws StartFailure when no variant fits.
void loadBackend();

/// Milliseconds since a moment.
inline int64_t millisecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() -
                                                               start)
      .count();
}

} // namespace worker
