// The end-of-turn worker: what a person said so far in, the probability that this was all out.
#include "EndOfTurn/LogMel.h"
#include "EndOfTurn/TurnModel.h"
#include "Protocol/Worker.h"

using namespace worker;

namespace {

void answer(TurnModel &model, LogMel &mel, Channel &channel, const Job &job) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<float> features = mel.of(job.audio);
  const float probability = model.complete(features);
  channel.control(
      job.request,
      {{"type", "result"}, {"complete", probability}, {"decode_ms", millisecondsSince(start)}});
}

Answer prepare(const ModelFile &file, const Options &options, const std::atomic<bool> &) {
  auto model =
      std::make_shared<TurnModel>(findRuntimeLibrary(options.models), file.path, options.threads);
  auto mel = std::make_shared<LogMel>();
  // The first call allocates; nobody should wait for that.
  std::vector<float> silence = mel->of(std::vector<int16_t>(LogMel::rate));
  model->complete(silence);
  return [model, mel](Channel &channel, const Job &job) { answer(*model, *mel, channel, job); };
}

} // namespace

int main(int count, char **arguments) {
  run({"turn", "smart-turn-v3.2", "smart-turn-v3.2-cpu.onnx", JobShape::startAudioEnd, LogMel::rate,
       prepare},
      count, arguments);
}
