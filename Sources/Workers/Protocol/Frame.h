#pragma once
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

namespace worker {

/// What a frame carries.
enum class FrameKind : uint8_t {
  control = 1, ///< a JSON object with a `type`
  audio = 2,   ///< 16-bit mono samples, little-endian
  text = 3,    ///< a piece of UTF-8 text, whole characters only
};

/// One message between the router and a worker: `u32 length, u8 kind, u32 request, payload`,
/// little-endian, the length counting everything behind itself.
struct Frame {
  FrameKind kind = FrameKind::control;
  uint32_t request = 0;
  std::string payload;
};

/// Bytes of kind and request, which the length counts too.
constexpr uint32_t frameOverhead = 5;
/// The longest frame either side may send.
constexpr uint32_t maximumFrameLength = 1u << 20;

/// The peer sent something that is no frame; the stream cannot be followed any more.
struct BrokenFrame : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Reads the next frame, blocking. Nothing at the end of the stream.
/// @throws BrokenFrame when the length or the kind is impossible or the stream ends inside a frame.
std::optional<Frame> readFrame(int descriptor);

/// The bytes of a frame, ready to be written in one go.
std::string encodeFrame(FrameKind kind, uint32_t request, const char *payload, size_t bytes);

} // namespace worker
