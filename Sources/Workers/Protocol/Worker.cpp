#include "Protocol/Worker.h"
#include <unistd.h>

namespace worker {

namespace {

void answer(const Answer &engine, Channel &channel, const Job &job) {
  try {
    engine(channel, job);
  } catch (const std::exception &failure) {
    channel.error(job.request, "engine_failed", failure.what());
  }
}

[[noreturn]] void serve(const Worker &worker, Channel &channel, const Options &options) {
  const auto start = std::chrono::steady_clock::now();
  // Static, because its thread lives as long as the process.
  static Inbox inbox(STDIN_FILENO, channel, worker.shape);
  inbox.open();
  const ModelFile file = verifiedModelFile(options.models, worker.file);
  const Answer engine = worker.prepare(file, options, inbox.stop());
  nlohmann::json ready = {{"type", "ready"},
                          {"role", worker.role},
                          {"name", worker.model},
                          {"licence", file.licence},
                          {"threads", options.threads},
                          {"load_ms", millisecondsSince(start)}};
  if (worker.rate)
    ready["rate"] = *worker.rate;
  channel.control(0, ready);
  for (;;) {
    const Job job = inbox.next();
    answer(engine, channel, job);
    inbox.finished(job.request);
  }
}

} // namespace

void run(const Worker &worker, int count, char **arguments) {
  prepareProcess();
  Channel channel(STDOUT_FILENO);
  try {
    serve(worker, channel, parseOptions(count, arguments));
  } catch (const StartFailure &failure) {
    channel.error(0, failure.code, failure.what());
  } catch (const std::exception &failure) {
    channel.error(0, "start_failed", failure.what());
  }
  _exit(1); // the reading thread goes with the process
}

} // namespace worker
