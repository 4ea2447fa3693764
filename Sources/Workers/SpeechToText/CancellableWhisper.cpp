// whisper.cpp, unmodified, plus what its interface lacks: its own abort callback is asked only
// between the encoder and the steps of the decoder, too late for a cancel within 50 ms. Here the
// callback is given to the backends, which ask it at every node of a graph.
#include "whisper.cpp"

#include "SpeechToText/CancellableWhisper.h"

void setWhisperAbort(whisper_context *context, bool (*shouldAbort)(void *), void *data) {
  for (ggml_backend_t backend : context->state->backends) {
    ggml_backend_dev_t device = ggml_backend_get_device(backend);
    ggml_backend_reg_t registry = device ? ggml_backend_dev_backend_reg(device) : nullptr;
    if (registry == nullptr)
      continue;
    const auto set = reinterpret_cast<ggml_backend_set_abort_callback_t>(
        ggml_backend_reg_get_proc_address(registry, "ggml_backend_set_abort_callback"));
    if (set != nullptr)
      set(backend, shouldAbort, data);
  }
}
