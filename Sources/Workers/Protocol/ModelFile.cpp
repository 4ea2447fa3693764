#include "Protocol/ModelFile.h"
#include "Protocol/Launch.h"
#include <cstdio>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <openssl/evp.h>
#include <vector>

namespace worker {

namespace {

using Digest = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;

std::string hexadecimal(const unsigned char *bytes, size_t count) {
  static const char digits[] = "0123456789abcdef";
  std::string out;
  for (size_t i = 0; i < count; ++i) {
    out.push_back(digits[bytes[i] >> 4]);
    out.push_back(digits[bytes[i] & 15]);
  }
  return out;
}

std::string sha256(std::ifstream &file) {
  Digest digest(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  EVP_DigestInit_ex(digest.get(), EVP_sha256(), nullptr);
  std::vector<char> buffer(1 << 20);
  while (file) {
    file.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    EVP_DigestUpdate(digest.get(), buffer.data(), static_cast<size_t>(file.gcount()));
  }
  unsigned char value[EVP_MAX_MD_SIZE];
  unsigned int length = 0;
  EVP_DigestFinal_ex(digest.get(), value, &length);
  return hexadecimal(value, length);
}

nlohmann::json pinOf(const std::string &name) {
  const std::string path = programDirectory() + "/../share/models.json";
  std::ifstream file(path);
  const auto pins = nlohmann::json::parse(file, nullptr, false);
  if (pins.is_object() && pins.contains("files")) {
    for (const auto &pin : pins["files"]) {
      if (pin.value("name", "") == name)
        return pin;
    }
  }
  throw StartFailure("model_missing",
                     "The pin of " + name + " is not in " + path + "; run `make setup`.");
}

} // namespace

ModelFile verifiedModelFile(const std::string &directory, const std::string &name) {
  const auto pin = pinOf(name);
  const std::string path = directory + "/" + name;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file)
    throw StartFailure("model_missing",
                       "The model file " + path + " cannot be read; run `make setup`.");
  const auto bytes = static_cast<int64_t>(file.tellg());
  file.seekg(0);
  if (bytes != pin.value("bytes", int64_t{-1}) || sha256(file) != pin.value("sha256", ""))
    throw StartFailure("model_corrupt", "The model file " + path +
                                            " is not the one it should be (size or SHA-256 "
                                            "differ); delete it and run `make setup`.");
  return {path, pin.value("licence", "")};
}

} // namespace worker
