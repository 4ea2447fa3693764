// The speech-to-text worker: utterances in, words out, one at a time.
#include "Protocol/Worker.h"
#include "SpeechToText/Recogniser.h"

using namespace worker;

namespace {

void answer(Recogniser &recogniser, Channel &channel, const Job &job) {
  const auto start = std::chrono::steady_clock::now();
  if (const auto transcript = recogniser.transcribe(job.audio))
    channel.control(job.request, {{"type", "result"},
                                  {"text", transcript->text},
                                  {"no_speech", transcript->noSpeech},
                                  {"decode_ms", millisecondsSince(start)}});
}

Answer prepare(const ModelFile &file, const Options &options, const std::atomic<bool> &stop) {
  loadBackend();
  auto recogniser = std::make_shared<Recogniser>(file.path, options.threads, stop);
  // The first call allocates and pages in the weights; nobody should wait for that.
  recogniser->transcribe(std::vector<int16_t>(Recogniser::rate));
  return [recogniser](Channel &channel, const Job &job) { answer(*recogniser, channel, job); };
}

} // namespace

int main(int count, char **arguments) {
  run({"stt", "whisper-tiny.en", "ggml-tiny.en-q8_0.bin", JobShape::startAudioEnd, Recogniser::rate,
       prepare},
      count, arguments);
}
