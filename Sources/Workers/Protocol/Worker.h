#pragma once
#include "Protocol/Inbox.h"
#include "Protocol/Launch.h"
#include "Protocol/ModelFile.h"
#include <functional>
#include <memory>
#include <optional>

namespace worker {

/// Answers one job: sends its result, or nothing when it was cancelled.
///
/// What it throws ends the request with `engine_failed`, and the worker goes on.
using Answer = std::function<void(Channel &, const Job &)>;

/// What one worker is; all else is the same for every worker.
struct Worker {
  const char *role;  ///< as the router calls it: `stt`, `llm`, `turn`
  const char *model; ///< name of the model
  const char *file;  ///< its pinned file
  JobShape shape;
  std::optional<int> rate; ///< of the sound it takes, in Hz
  /// Loads the engine, lets it work once, and gives what answers jobs. `stop` is polled by the
  /// engine.
  /// @throws StartFailure, or anything else for `start_failed`.
  std::function<Answer(const ModelFile &, const Options &, const std::atomic<bool> &stop)> prepare;
};

/// Runs a worker until its standard input ends; returns only when it could not start, and tells the
/// router why before.
[[noreturn]] void run(const Worker &worker, int count, char **arguments);

} // namespace worker
