// The reference of pipeline_cpu_ratio: a loop straight over libopus, libsamplerate and
// libwebrtc-audio-processing. It includes no header of the product and does the same work.
#include "bench_native.h"

#include <cstring>
#include <memory>

#include <opus.h>
#include <samplerate.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <webrtc/common.h>
#include <webrtc/modules/audio_processing/include/audio_processing.h>
#pragma GCC diagnostic pop

namespace {
constexpr int kRate = 48000;
constexpr size_t kBlock = 480;
constexpr size_t kFrame = 960;
constexpr size_t kWindow = 512;
constexpr size_t kLongestPayload = 1276;
} // namespace

struct plain_pipeline {
  std::unique_ptr<webrtc::AudioProcessing> processing;
  OpusEncoder *encoder = nullptr;
  OpusDecoder *decoder = nullptr;
  SRC_STATE *resampler = nullptr;
  float pending[kFrame];
  float window[kWindow];
  size_t pending_count = 0;
  size_t window_count = 0;
  size_t passed = 0; ///< frames of the uplink that came by
};

static bool set_up_processing(plain_pipeline *pipeline) {
  webrtc::Config config;
  config.Set<webrtc::ExtendedFilter>(new webrtc::ExtendedFilter(false));
  config.Set<webrtc::DelayAgnostic>(new webrtc::DelayAgnostic(false));
  config.Set<webrtc::ExperimentalAgc>(new webrtc::ExperimentalAgc(false));
  pipeline->processing.reset(webrtc::AudioProcessing::Create(config));
  webrtc::AudioProcessing *processing = pipeline->processing.get();
  webrtc::StreamConfig mono{kRate, 1};
  webrtc::ProcessingConfig formats{{mono, mono, mono, mono}};
  if (!processing || processing->Initialize(formats) != 0)
    return false;
  processing->high_pass_filter()->Enable(true);
  processing->echo_cancellation()->enable_drift_compensation(false);
  processing->echo_cancellation()->set_suppression_level(webrtc::EchoCancellation::kLowSuppression);
  processing->echo_cancellation()->Enable(true);
  processing->noise_suppression()->set_level(webrtc::NoiseSuppression::kLow);
  processing->noise_suppression()->Enable(true);
  return true;
}

static void cancel(plain_pipeline *pipeline, const float *reference, const float *microphone,
                   int delay_ms, float *out) {
  webrtc::StreamConfig mono{kRate, 1};
  float unused[kBlock];
  float *unused_channels[] = {unused}, *out_channels[] = {out};
  const float *reference_channels[] = {reference}, *microphone_channels[] = {microphone};
  pipeline->processing->ProcessReverseStream(reference_channels, mono, mono, unused_channels);
  pipeline->processing->set_stream_delay_ms(delay_ms);
  pipeline->processing->ProcessStream(microphone_channels, mono, mono, out_channels);
}

int plain_pipeline_create(plain_pipeline **out, int bit_rate, int loss_pct) {
  auto *pipeline = new plain_pipeline;
  int error = 0;
  pipeline->encoder = opus_encoder_create(kRate, 1, OPUS_APPLICATION_VOIP, &error);
  pipeline->decoder = opus_decoder_create(kRate, 1, &error);
  pipeline->resampler = src_new(SRC_SINC_FASTEST, 1, &error);
  if (!pipeline->encoder || !pipeline->decoder || !pipeline->resampler ||
      !set_up_processing(pipeline)) {
    plain_pipeline_destroy(pipeline);
    return -1;
  }
  opus_encoder_ctl(pipeline->encoder, OPUS_SET_BITRATE(bit_rate));
  opus_encoder_ctl(pipeline->encoder, OPUS_SET_COMPLEXITY(5));
  opus_encoder_ctl(pipeline->encoder, OPUS_SET_INBAND_FEC(1));
  opus_encoder_ctl(pipeline->encoder, OPUS_SET_PACKET_LOSS_PERC(loss_pct));
  opus_encoder_ctl(pipeline->encoder, OPUS_SET_SIGNAL(OPUS_SIGNAL_VOICE));
  float silence[kBlock] = {}, unused[kBlock];
  cancel(pipeline, silence, silence, 0, unused);
  *out = pipeline;
  return 0;
}

static void judge(plain_pipeline *pipeline, const plain_input *input, const float *clean,
                  plain_output *output) {
  float narrow[kBlock];
  SRC_DATA conversion = {};
  conversion.data_in = clean;
  conversion.data_out = narrow;
  conversion.input_frames = kBlock;
  conversion.output_frames = kBlock;
  conversion.src_ratio = 1.0 / 3;
  src_process(pipeline->resampler, &conversion);
  for (long i = 0; i < conversion.output_frames_gen; i++) {
    pipeline->window[pipeline->window_count++] = narrow[i];
    if (pipeline->window_count < kWindow)
      continue;
    output->voiced_windows += input->detect(input->detector, pipeline->window) >= 0.5f;
    pipeline->window_count = 0;
  }
}

static void encode(plain_pipeline *pipeline, const plain_input *input, const float *clean,
                   plain_output *output) {
  size_t left =
      input->skipped_frames > pipeline->passed ? input->skipped_frames - pipeline->passed : 0;
  size_t from = left < kBlock ? left : kBlock;
  pipeline->passed += kBlock;
  while (from < kBlock) {
    size_t room = kFrame - pipeline->pending_count;
    size_t count = kBlock - from < room ? kBlock - from : room;
    std::memcpy(pipeline->pending + pipeline->pending_count, clean + from, count * sizeof(float));
    from += count;
    pipeline->pending_count += count;
    if (pipeline->pending_count < kFrame)
      continue;
    size_t index = output->packet_count++;
    output->payload_bytes[index] =
        opus_encode_float(pipeline->encoder, pipeline->pending, int(kFrame),
                          output->payloads + index * output->payload_stride, kLongestPayload);
    pipeline->pending_count = 0;
  }
}

int plain_pipeline_block(plain_pipeline *pipeline, const plain_input *input, size_t block,
                         const float *microphone, plain_output *output) {
  const float silence[kBlock] = {};
  float clean[kBlock];
  if (block % 2 == 0 &&
      opus_decode_float(pipeline->decoder, input->packets[block / 2],
                        input->packet_bytes[block / 2], output->speaker + block * kBlock,
                        int(kFrame), 0) != int(kFrame))
    return -1;
  bool is_heard = block >= input->reference_delay_blocks;
  const float *reference =
      is_heard ? output->speaker + (block - input->reference_delay_blocks) * kBlock : silence;
  cancel(pipeline, reference, microphone, 10, clean);
  judge(pipeline, input, clean, output);
  encode(pipeline, input, clean, output);
  return 0;
}

void plain_pipeline_run(plain_pipeline *pipeline, const plain_input *input, plain_output *output) {
  output->packet_count = output->voiced_windows = 0;
  for (size_t block = 0; block < input->blocks; block++)
    if (plain_pipeline_block(pipeline, input, block, input->microphone + block * kBlock, output))
      return;
}

void plain_pipeline_destroy(plain_pipeline *pipeline) {
  if (!pipeline)
    return;
  if (pipeline->encoder)
    opus_encoder_destroy(pipeline->encoder);
  if (pipeline->decoder)
    opus_decoder_destroy(pipeline->decoder);
  if (pipeline->resampler)
    src_delete(pipeline->resampler);
  delete pipeline;
}
