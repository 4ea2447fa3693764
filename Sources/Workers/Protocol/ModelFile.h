#pragma once
#include <string>

namespace worker {

/// A model file that is there and is the one set-up pinned.
struct ModelFile {
  std::string path;
  std::string licence;
};

/// Finds a model file by its plain name and compares it with the pin that set-up installed beside
/// the engines: size and SHA-256.
/// @throws StartFailure `model_missing` or `model_corrupt`, naming the file and the remedy.
ModelFile verifiedModelFile(const std::string &directory, const std::string &name);

} // namespace worker
