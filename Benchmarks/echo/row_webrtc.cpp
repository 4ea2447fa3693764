// libwebrtc-audio-processing 0.3 as a careful person would use it, without a header of ours.
#include "row.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <webrtc/common.h>
#include <webrtc/modules/audio_processing/include/audio_processing.h>
#pragma GCC diagnostic pop

namespace {
struct Row {
  webrtc::AudioProcessing *processing;
  webrtc::StreamConfig format{16000, 1};
};
} // namespace

void *webrtc_row_create(int option) {
  webrtc::Config config;
  config.Set<webrtc::ExtendedFilter>(new webrtc::ExtendedFilter(option & WEBRTC_EXTENDED));
  config.Set<webrtc::DelayAgnostic>(new webrtc::DelayAgnostic(option & WEBRTC_AGNOSTIC));
  config.Set<webrtc::ExperimentalAgc>(new webrtc::ExperimentalAgc(false));
  Row *row = new Row{webrtc::AudioProcessing::Create(config)};
  row->processing->Initialize({{row->format, row->format, row->format, row->format}});
  row->processing->high_pass_filter()->Enable(true);
  webrtc::EchoCancellation *echo = row->processing->echo_cancellation();
  echo->enable_drift_compensation(false);
  echo->set_suppression_level(option & WEBRTC_LOW ? webrtc::EchoCancellation::kLowSuppression
                                                  : webrtc::EchoCancellation::kModerateSuppression);
  echo->Enable(true);
  return row;
}

void webrtc_row_process(void *state, const float *reference, const float *microphone, int delay_ms,
                        float *out) {
  Row *row = static_cast<Row *>(state);
  float unused[ROW_BLOCK];
  float *unused_channels[] = {unused}, *out_channels[] = {out};
  row->processing->ProcessReverseStream(&reference, row->format, row->format, unused_channels);
  row->processing->set_stream_delay_ms(delay_ms);
  row->processing->ProcessStream(&microphone, row->format, row->format, out_channels);
}

void webrtc_row_destroy(void *state) {
  Row *row = static_cast<Row *>(state);
  delete row->processing;
  delete row;
}
