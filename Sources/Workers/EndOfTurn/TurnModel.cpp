#include "EndOfTurn/TurnModel.h"
#include "EndOfTurn/LogMel.h"
#include "Protocol/Launch.h"
#include <cstdint>
#include <dlfcn.h>
#include <glob.h>
#include <stdexcept>

namespace worker {

namespace {

// The library is distributed without its header. Its C interface is a table of functions whose
// order never changes (onnxruntime's promise for OrtApi); these are the ones used here.
enum : int {
  getErrorMessage = 2,
  createEnvironment = 3,
  createSession = 7,
  runSession = 9,
  createOptions = 10,
  setOptimization = 23,
  setIntraThreads = 24,
  setInterThreads = 25,
  createTensor = 49,
  tensorData = 51,
  createMemory = 69,
  releaseEnvironment = 92,
  releaseStatus = 93,
  releaseMemory = 94,
  releaseSession = 95,
  releaseValue = 96,
  releaseOptions = 100,
};

constexpr uint32_t interfaceVersion = 11;
constexpr int warnings = 2;
constexpr int allOptimizations = 99;
constexpr int floats = 1;
constexpr int arenaAllocator = 1;
constexpr int defaultMemory = 0;

struct Base {
  const void *const *(*api)(uint32_t version);
  const char *(*version)();
};

} // namespace

template <typename Function> Function TurnModel::call(int index) const {
  return reinterpret_cast<Function>(const_cast<void *>(table_[index]));
}

void TurnModel::check(void *status) const {
  if (status == nullptr)
    return;
  const std::string message = call<const char *(*)(void *)>(getErrorMessage)(status);
  call<void (*)(void *)>(releaseStatus)(status);
  throw std::runtime_error("onnxruntime: " + message);
}

TurnModel::TurnModel(const std::string &library, const std::string &model, int threads) {
  void *loaded = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  const auto base = loaded == nullptr
                        ? nullptr
                        : reinterpret_cast<const Base *(*)()>(dlsym(loaded, "OrtGetApiBase"));
  if (base == nullptr)
    throw StartFailure("backend_missing",
                       library + " cannot be loaded (" + dlerror() + "); run `make setup`.");
  table_ = base()->api(interfaceVersion);
  if (table_ == nullptr)
    throw StartFailure("backend_missing", library + " no longer has interface 11.");
  try {
    check(call<void *(*)(int, const char *, void **)>(createEnvironment)(warnings, "turn",
                                                                         &environment_));
    check(call<void *(*)(void **)>(createOptions)(&options_));
    check(call<void *(*)(void *, int)>(setOptimization)(options_, allOptimizations));
    check(call<void *(*)(void *, int)>(setIntraThreads)(options_, threads));
    check(call<void *(*)(void *, int)>(setInterThreads)(options_, 1));
    check(call<void *(*)(void *, const char *, void *, void **)>(createSession)(
        environment_, model.c_str(), options_, &session_));
    check(
        call<void *(*)(int, int, void **)>(createMemory)(arenaAllocator, defaultMemory, &memory_));
  } catch (const std::runtime_error &failure) {
    throw StartFailure("model_corrupt", failure.what());
  }
}

TurnModel::~TurnModel() {
  call<void (*)(void *)>(releaseMemory)(memory_);
  call<void (*)(void *)>(releaseSession)(session_);
  call<void (*)(void *)>(releaseOptions)(options_);
  call<void (*)(void *)>(releaseEnvironment)(environment_);
}

float TurnModel::complete(std::vector<float> &features) {
  const int64_t shape[] = {1, LogMel::bands, LogMel::frames};
  const char *input = "input_features";
  const char *output = "logits";
  void *given = nullptr;
  void *made = nullptr;
  check(
      call<void *(*)(void *, void *, size_t, const int64_t *, size_t, int, void **)>(createTensor)(
          memory_, features.data(), features.size() * sizeof(float), shape, 3, floats, &given));
  void *const failure = call<void *(*)(void *, void *, const char *const *, const void *const *,
                                       size_t, const char *const *, size_t, void **)>(runSession)(
      session_, nullptr, &input, &given, 1, &output, 1, &made);
  call<void (*)(void *)>(releaseValue)(given);
  check(failure);
  float *value = nullptr;
  void *const unread =
      call<void *(*)(void *, void **)>(tensorData)(made, reinterpret_cast<void **>(&value));
  const float probability = unread == nullptr ? *value : 0;
  call<void (*)(void *)>(releaseValue)(made);
  check(unread);
  return probability;
}

std::string findRuntimeLibrary(const std::string &models) {
  const std::string places[] = {models + "/..", programDirectory() + "/../../.."};
  for (const auto &place : places) {
    const std::string pattern =
        place + "/python/onnxruntime-*/onnxruntime/capi/libonnxruntime.so.*";
    glob_t found{};
    std::string path;
    if (glob(pattern.c_str(), 0, nullptr, &found) == 0 && found.gl_pathc > 0)
      path = found.gl_pathv[found.gl_pathc - 1];
    globfree(&found);
    if (!path.empty())
      return path;
  }
  throw StartFailure("backend_missing",
                     "There is no onnxruntime below " + models + "/../python; run `make setup`.");
}

} // namespace worker
