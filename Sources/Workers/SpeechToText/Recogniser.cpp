#include "SpeechToText/Recogniser.h"
#include "Protocol/Launch.h"
#include "SpeechToText/CancellableWhisper.h"
#include "SpeechToText/Wording.h"
#include "whisper.h"
#include <algorithm>
#include <cstdio>
#include <stdexcept>

namespace worker {

namespace {

bool isStopped(void *flag) {
  return static_cast<const std::atomic<bool> *>(flag)->load();
}

void logErrors(ggml_log_level level, const char *text, void *) {
  if (level == GGML_LOG_LEVEL_ERROR)
    std::fputs(text, stderr);
}

/// Encoder positions for an utterance, 50 a second. Shorter than the full 30 s, which costs three
/// times as much; under 512 the model repeats itself (measured: word error rate 37 % and more).
int audioContext(size_t samples) {
  const int needed = static_cast<int>(samples * 50 / Recogniser::rate) + 128;
  return std::clamp(needed, 512, 1500);
}

/// Above this the words are made up ("you" out of silence). Measured: silence and noise 0.95 and
/// more, speech 0.30 at most.
constexpr float noSpeechThreshold = 0.8f;

/// People say three words a second, a token or two each. A decoder that wants more is stuck.
int maximumTokens(size_t samples) {
  return 32 + static_cast<int>(samples * 10 / Recogniser::rate);
}

} // namespace

Recogniser::Recogniser(const std::string &modelPath, int threads, const std::atomic<bool> &stop)
    : context_(nullptr), threads_(threads), stop_(stop) {
  whisper_log_set(logErrors, nullptr);
  whisper_context_params parameters = whisper_context_default_params();
  parameters.use_gpu = false;
  context_ = whisper_init_from_file_with_params(modelPath.c_str(), parameters);
  if (context_ == nullptr)
    throw StartFailure("model_corrupt", "The recogniser cannot read the model file " + modelPath +
                                            "; delete it and run `make setup`.");
  setWhisperAbort(context_, isStopped, const_cast<std::atomic<bool> *>(&stop_));
}

Recogniser::~Recogniser() {
  whisper_free(context_);
}

std::optional<Transcript> Recogniser::transcribe(const std::vector<int16_t> &audio) {
  if (audio.size() < rate / 10)
    return Transcript(); // the engine wants a tenth of a second, and no word is shorter
  std::vector<float> samples(audio.size());
  std::transform(audio.begin(), audio.end(), samples.begin(),
                 [](int16_t sample) { return static_cast<float>(sample) / 32768.0f; });
  whisper_full_params parameters = whisper_full_default_params(WHISPER_SAMPLING_GREEDY);
  parameters.n_threads = threads_;
  parameters.language = "en";
  parameters.single_segment = true;
  parameters.no_context = true;
  parameters.temperature_inc = 0; // one pass; a retry would double the wait
  parameters.audio_ctx = audioContext(samples.size());
  parameters.max_tokens = maximumTokens(samples.size());
  parameters.print_progress = false;
  parameters.print_realtime = false;
  parameters.print_timestamps = false;
  parameters.print_special = false;
  parameters.abort_callback = isStopped;
  parameters.abort_callback_user_data = const_cast<std::atomic<bool> *>(&stop_);
  const int code =
      whisper_full(context_, parameters, samples.data(), static_cast<int>(samples.size()));
  if (stop_)
    return std::nullopt;
  if (code != 0)
    throw std::runtime_error("The recogniser failed with code " + std::to_string(code) + ".");
  Transcript transcript;
  for (int i = 0; i < whisper_full_n_segments(context_); ++i) {
    transcript.text += whisper_full_get_segment_text(context_, i);
    transcript.noSpeech = whisper_full_get_segment_no_speech_prob(context_, i);
  }
  const bool isSpeech = transcript.noSpeech < noSpeechThreshold;
  transcript.text = isSpeech ? transcriptWording(transcript.text) : "";
  return transcript;
}

} // namespace worker
