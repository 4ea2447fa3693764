// The end-of-turn worker: what a person said so far in, the probability that this was all out.
#include "EndOfTurn/LogMel.h"
#include "EndOfTurn/TurnModel.h"
#include "Protocol/Inbox.h"
#include "Protocol/Launch.h"
#include "Protocol/ModelFile.h"
#include <unistd.h>

using namespace worker;

namespace {

constexpr const char *modelName = "smart-turn-v3.2-cpu.onnx";

void answer(TurnModel &model, LogMel &mel, Channel &channel, const Job &job) {
  const auto start = std::chrono::steady_clock::now();
  try {
    std::vector<float> features = mel.of(job.audio);
    const float probability = model.complete(features);
    channel.control(
        job.request,
        {{"type", "result"}, {"complete", probability}, {"decode_ms", millisecondsSince(start)}});
  } catch (const std::exception &failure) {
    channel.error(job.request, "engine_failed", failure.what());
  }
}

int serve(Channel &channel, const Options &options) {
  const auto start = std::chrono::steady_clock::now();
  // Static, because its thread lives as long as the process.
  static Inbox inbox(STDIN_FILENO, channel, JobShape::startAudioEnd);
  inbox.open();
  const ModelFile file = verifiedModelFile(options.models, modelName);
  TurnModel model(findRuntimeLibrary(options.models), file.path, options.threads);
  LogMel mel;
  // The first call allocates; nobody should wait for that.
  std::vector<float> silence = mel.of(std::vector<int16_t>(LogMel::rate));
  model.complete(silence);
  channel.control(0, {{"type", "ready"},
                      {"role", "turn"},
                      {"name", "smart-turn-v3.2"},
                      {"licence", file.licence},
                      {"rate", LogMel::rate},
                      {"threads", options.threads},
                      {"load_ms", millisecondsSince(start)}});
  for (;;) {
    const Job job = inbox.next();
    answer(model, mel, channel, job);
    inbox.finished(job.request);
  }
}

} // namespace

int main(int count, char **arguments) {
  prepareProcess();
  Channel channel(STDOUT_FILENO);
  try {
    return serve(channel, parseOptions(count, arguments));
  } catch (const StartFailure &failure) {
    channel.error(0, failure.code, failure.what());
  } catch (const std::exception &failure) {
    channel.error(0, "start_failed", failure.what());
  }
  _exit(1); // the reading thread goes with the process
}
