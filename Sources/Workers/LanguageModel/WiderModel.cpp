#include "LanguageModel/WiderModel.h"
#include <cstdio>
#include <sys/mman.h>
#include <unistd.h>

namespace worker {

namespace {

/// A file that is nowhere on the disk and goes with its last user.
class MemoryFile {
public:
  MemoryFile() : descriptor_(memfd_create("model", MFD_CLOEXEC)) {}
  ~MemoryFile() {
    if (descriptor_ >= 0)
      close(descriptor_);
  }
  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;

  bool isOpen() const {
    return descriptor_ >= 0;
  }
  std::string path() const {
    return "/proc/self/fd/" + std::to_string(descriptor_);
  }

private:
  int descriptor_;
};

} // namespace

llama_model *loadWider(const std::string &path, int threads) {
  const MemoryFile wider;
  auto conversion = llama_model_quantize_default_params();
  conversion.ftype = LLAMA_FTYPE_MOSTLY_Q8_0;
  conversion.allow_requantize = true;
  conversion.nthread = threads;
  auto parameters = llama_model_default_params();
  if (!wider.isOpen() ||
      llama_model_quantize(path.c_str(), wider.path().c_str(), &conversion) != 0) {
    std::fprintf(stderr, "The model is used as its file has it: it could not be converted.\n");
    return llama_model_load_from_file(path.c_str(), parameters);
  }
  parameters.load_mode = LLAMA_LOAD_MODE_NONE; // the file in memory is let go of
  return llama_model_load_from_file(wider.path().c_str(), parameters);
}

} // namespace worker
