#include "Protocol/Launch.h"
#include "ggml-backend.h"
#include <algorithm>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <unistd.h>

namespace worker {

namespace {

int parseThreads(const std::string &value) {
  char *end = nullptr;
  const long threads = std::strtol(value.c_str(), &end, 10);
  if (value.empty() || *end != 0 || threads < 1 || threads > 256)
    throw StartFailure("bad_option",
                       "--threads takes a number from 1 to 256, not \"" + value + "\".");
  return static_cast<int>(threads);
}

void logFeatures(ggml_backend_dev_t device, int64_t milliseconds) {
  std::string features;
  auto *registry = ggml_backend_dev_backend_reg(device);
  const auto list = reinterpret_cast<ggml_backend_get_features_t>(
      ggml_backend_reg_get_proc_address(registry, "ggml_backend_get_features"));
  if (list != nullptr) {
    for (auto *feature = list(registry); feature->name != nullptr; ++feature)
      features += std::string(" ") + feature->name;
  }
  std::fprintf(stderr, "ggml backend on %s after %lld ms:%s\n",
               ggml_backend_dev_description(device), static_cast<long long>(milliseconds),
               features.c_str());
}

void logNothing(ggml_log_level level, const char *text, void *) {
  if (level == GGML_LOG_LEVEL_ERROR)
    std::fputs(text, stderr);
}

} // namespace

std::string programDirectory() {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  if (length <= 0 || length >= static_cast<ssize_t>(sizeof path))
    throw StartFailure("backend_missing", "The worker cannot find its own program file in /proc.");
  const std::string whole(path, static_cast<size_t>(length));
  return whole.substr(0, whole.rfind('/'));
}

Options parseOptions(int count, char **arguments) {
  Options options;
  const char *cache = std::getenv("VOICE_CACHE");
  options.models = cache != nullptr && *cache != 0 ? std::string(cache) + "/models"
                                                   : programDirectory() + "/../../../models";
  options.threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()) - 1);
  for (int i = 1; i < count; ++i) {
    const std::string name = arguments[i];
    if (name != "--models" && name != "--threads")
      throw StartFailure("bad_option",
                         "The worker knows --models and --threads, not \"" + name + "\".");
    if (++i == count)
      throw StartFailure("bad_option", name + " needs a value.");
    if (name == "--models")
      options.models = arguments[i];
    else
      options.threads = parseThreads(arguments[i]);
  }
  return options;
}

void prepareProcess() {
  setenv("GGML_NO_BACKTRACE", "1", 1);
  unsetenv("GGML_BACKEND_PATH");
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
}

void loadBackend() {
  const auto start = std::chrono::steady_clock::now();
  const std::string directory = programDirectory() + "/../lib";
  ggml_log_set(logNothing, nullptr);
  ggml_backend_load_all_from_path(directory.c_str());
  auto *device = ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU);
  if (device == nullptr)
    throw StartFailure("backend_missing", "No CPU variant of ggml in " + directory +
                                              " runs on this machine; run `make setup` here.");
  logFeatures(device, millisecondsSince(start));
}

} // namespace worker
