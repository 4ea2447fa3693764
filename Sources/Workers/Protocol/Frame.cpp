#include "Protocol/Frame.h"
#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace worker {

namespace {

/// Fills the buffer; returns how many bytes came before the stream ended.
size_t readFully(int descriptor, char *into, size_t bytes) {
  size_t have = 0;
  while (have < bytes) {
    const ssize_t got = read(descriptor, into + have, bytes - have);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      throw BrokenFrame(std::string("reading standard input failed: ") + std::strerror(errno));
    if (got == 0)
      break;
    have += static_cast<size_t>(got);
  }
  return have;
}

uint32_t littleEndian(const char *bytes) {
  const auto *b = reinterpret_cast<const unsigned char *>(bytes);
  return b[0] | b[1] << 8 | b[2] << 16 | static_cast<uint32_t>(b[3]) << 24;
}

void appendLittleEndian(std::string &to, uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8)
    to.push_back(static_cast<char>(value >> shift & 0xff));
}

} // namespace

std::optional<Frame> readFrame(int descriptor) {
  char head[4 + frameOverhead];
  const size_t got = readFully(descriptor, head, sizeof head);
  if (got == 0)
    return std::nullopt;
  if (got < sizeof head)
    throw BrokenFrame("the stream ended inside a frame's head");
  const uint32_t length = littleEndian(head);
  if (length < frameOverhead || length > maximumFrameLength)
    throw BrokenFrame("a frame says it is " + std::to_string(length) +
                      " bytes long; between 5 and 1048576 are possible");
  const auto kind = static_cast<unsigned char>(head[4]);
  if (kind < 1 || kind > 3)
    throw BrokenFrame("a frame says it is of kind " + std::to_string(kind) +
                      "; kinds are 1, 2 and 3");
  Frame frame;
  frame.kind = static_cast<FrameKind>(kind);
  frame.request = littleEndian(head + 5);
  frame.payload.resize(length - frameOverhead);
  if (readFully(descriptor, frame.payload.data(), frame.payload.size()) < frame.payload.size())
    throw BrokenFrame("the stream ended inside a frame's payload");
  return frame;
}

std::string encodeFrame(FrameKind kind, uint32_t request, const char *payload, size_t bytes) {
  std::string out;
  out.reserve(4 + frameOverhead + bytes);
  appendLittleEndian(out, static_cast<uint32_t>(frameOverhead + bytes));
  out.push_back(static_cast<char>(kind));
  appendLittleEndian(out, request);
  out.append(payload, bytes);
  return out;
}

} // namespace worker
