// The speech-to-text worker: utterances in, words out, one at a time.
#include "Protocol/Inbox.h"
#include "Protocol/Launch.h"
#include "Protocol/ModelFile.h"
#include "SpeechToText/Recogniser.h"
#include <unistd.h>

using namespace worker;

namespace {

constexpr const char *modelName = "ggml-tiny.en-q8_0.bin";

void answer(Recogniser &recogniser, Channel &channel, const Job &job) {
  const auto start = std::chrono::steady_clock::now();
  try {
    if (const auto transcript = recogniser.transcribe(job.audio))
      channel.control(job.request, {{"type", "result"},
                                    {"text", transcript->text},
                                    {"no_speech", transcript->noSpeech},
                                    {"decode_ms", millisecondsSince(start)}});
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
  loadBackend();
  Recogniser recogniser(file.path, options.threads, inbox.stop());
  // The first call allocates and pages in the weights; nobody should wait for that.
  recogniser.transcribe(std::vector<int16_t>(Recogniser::rate));
  channel.control(0, {{"type", "ready"},
                      {"role", "stt"},
                      {"name", "whisper-tiny.en"},
                      {"licence", file.licence},
                      {"rate", Recogniser::rate},
                      {"threads", options.threads},
                      {"load_ms", millisecondsSince(start)}});
  for (;;) {
    const Job job = inbox.next();
    answer(recogniser, channel, job);
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
