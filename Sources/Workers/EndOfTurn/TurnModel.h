#pragma once
#include <string>
#include <vector>

namespace worker {

/// Smart Turn in onnxruntime, which is loaded when the worker starts: set-up unpacks it for the
/// voice, and no Debian package has it. One thread calls it.
class TurnModel {
public:
  /// @throws StartFailure when the library or the model cannot be loaded.
  TurnModel(const std::string &library, const std::string &model, int threads);
  ~TurnModel();
  TurnModel(const TurnModel &) = delete;
  TurnModel &operator=(const TurnModel &) = delete;

  /// The probability that a person with these features has said all they wanted to say.
  /// @throws std::runtime_error when the engine fails.
  float complete(std::vector<float> &features);

private:
  void check(void *status) const;
  template <typename Function> Function call(int index) const;

  const void *const *table_ = nullptr;
  void *environment_ = nullptr;
  void *options_ = nullptr;
  void *session_ = nullptr;
  void *memory_ = nullptr;
};

/// The newest onnxruntime among the unpacked Python packages.
/// @throws StartFailure when there is none.
std::string findRuntimeLibrary(const std::string &models);

} // namespace worker
