// The shim over libwebrtc-audio-processing 0.3: the one file of the core that is exempt from the
// `nonblocking` check. The library takes three uncontended locks for each block and allocates
// nothing after the first.
#include "residual.h"

#include <cerrno>
#include <cstring>
#include <memory>
#include <new>

// The library's own header has an unused parameter.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <webrtc/common.h>
#include <webrtc/modules/audio_processing/include/audio_processing.h>
#pragma GCC diagnostic pop

#if defined(__has_feature)
#if __has_feature(realtime_sanitizer)
#include <sanitizer/rtsan_interface.h>
#define LIBRARY_CALLS __rtsan::ScopedDisabler library_calls;
#endif
#endif
#ifndef LIBRARY_CALLS
#define LIBRARY_CALLS
#endif

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wfunction-effects"
#endif

namespace {
constexpr int kRate = 48000;
constexpr size_t kBlock = kRate / 100;
// Measured by correlation, noise against its output, for each configuration.
constexpr size_t kSplittingLatencyFrames = 46;
constexpr size_t kEchoLatencyFrames = 336;
constexpr size_t kNoiseLatencyFrames = 288;
} // namespace

struct vc_residual {
  webrtc::AudioProcessing *processing;
  webrtc::StreamConfig format{kRate, 1};
  bool cancels_echo;
  bool suppresses_noise;
};

static int configure(vc_residual *residual) {
  webrtc::AudioProcessing *processing = residual->processing;
  const webrtc::StreamConfig &format = residual->format;
  webrtc::ProcessingConfig formats{{format, format, format, format}};
  if (processing->Initialize(formats) != webrtc::AudioProcessing::kNoError)
    return -EIO;
  int failed = processing->high_pass_filter()->Enable(true);
  if (residual->cancels_echo) {
    // Plain mode with an exact delay beat delay-agnostic and extended filters in our measurement.
    webrtc::EchoCancellation *echo = processing->echo_cancellation();
    failed |= echo->enable_drift_compensation(false);
    failed |= echo->set_suppression_level(webrtc::EchoCancellation::kLowSuppression);
    failed |= echo->Enable(true);
  }
  if (residual->suppresses_noise) {
    failed |= processing->noise_suppression()->set_level(webrtc::NoiseSuppression::kLow);
    failed |= processing->noise_suppression()->Enable(true);
  }
  return failed ? -EIO : 0;
}

/// Sets an option that is a single switch. The library owns it only once `Set` has come back, for
/// that allocates before.
template <typename Option> static void set_option(webrtc::Config &config, bool enabled) {
  auto option = std::make_unique<Option>(enabled);
  config.Set<Option>(option.get());
  (void)option.release();
}

/// What may throw: the library allocates with plain `new`.
static int create_processing(vc_residual *residual) {
  webrtc::Config config;
  set_option<webrtc::ExtendedFilter>(config, false);
  set_option<webrtc::DelayAgnostic>(config, false);
  set_option<webrtc::ExperimentalAgc>(config, false);
  residual->processing = webrtc::AudioProcessing::Create(config);
  if (!residual->processing)
    return -ENOMEM;
  int result = configure(residual);
  if (result < 0)
    return result;
  float silence[kBlock] = {};
  vc_residual_process(residual, silence, silence, 0, silence);
  return 0;
}

int vc_residual_create(vc_residual **out, int cancels_echo, int suppresses_noise) {
  vc_residual *residual = new (std::nothrow) vc_residual{};
  if (!residual)
    return -ENOMEM;
  residual->cancels_echo = cancels_echo != 0;
  residual->suppresses_noise = suppresses_noise != 0;
  int result;
  try {
    result = create_processing(residual);
  } catch (const std::bad_alloc &) {
    result = -ENOMEM;
  }
  if (result < 0) {
    vc_residual_destroy(residual);
    return result;
  }
  *out = residual;
  return 0;
}

void vc_residual_destroy(vc_residual *residual) {
  if (!residual)
    return;
  delete residual->processing;
  delete residual;
}

void vc_residual_process(vc_residual *residual, const float *reference, const float *microphone,
                         int delay_ms, float *out) VD_NONBLOCKING {
  LIBRARY_CALLS
  webrtc::AudioProcessing *processing = residual->processing;
  float unused[kBlock];
  float *unused_channels[] = {unused};
  float *out_channels[] = {out};
  if (residual->cancels_echo) {
    const float *reference_channels[] = {reference};
    processing->ProcessReverseStream(reference_channels, residual->format, residual->format,
                                     unused_channels);
    processing->set_stream_delay_ms(delay_ms);
  }
  const float *microphone_channels[] = {microphone};
  int error = processing->ProcessStream(microphone_channels, residual->format, residual->format,
                                        out_channels);
  // An unprocessed microphone would carry the echo: silence is the safe answer.
  if (error != webrtc::AudioProcessing::kNoError)
    std::memset(out, 0, kBlock * sizeof *out);
}

size_t vc_residual_latency_frames(const vc_residual *residual) VD_NONBLOCKING {
  return kSplittingLatencyFrames + (residual->cancels_echo ? kEchoLatencyFrames : 0) +
         (residual->suppresses_noise ? kNoiseLatencyFrames : 0);
}
