#include "worker_frame.h"

#include <array>
#include <charconv>
#include <cstring>

namespace kmux {
namespace {

constexpr std::uint32_t kMagic = 0x584d4b57;  // "WKMX"

struct Header {
  std::uint32_t magic = kMagic;
  std::uint32_t kind = 0;
  std::uint32_t parts = 0;
  std::uint32_t reserved = 0;
  std::uint64_t bytes = 0;  // after the header
};

Error malformed(const std::string& why) {
  return make_error(ErrorCode::kInternal, "a frame is damaged (" + why + ").");
}

template <class T>
T read_at(std::string_view bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

template <class T>
void append(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

Status check(const Header& header) {
  if (header.magic != kMagic) return malformed("it does not begin as one");
  if (header.kind < static_cast<std::uint32_t>(FrameKind::kOpen) ||
      header.kind > static_cast<std::uint32_t>(FrameKind::kStandalone)) {
    return malformed("there is no kind " + std::to_string(header.kind));
  }
  if (header.parts > kMaxFrameParts) return malformed(std::to_string(header.parts) + " parts are too many");
  if (header.bytes > kMaxFrameBytes) return malformed(std::to_string(header.bytes) + " bytes are too many");
  if (header.bytes < header.parts * sizeof(std::uint64_t)) return malformed("it has no room for its sizes");
  return Ok{};
}

/// The parts in `body`: as many sizes, then the bytes.
Result<std::vector<std::string>> split(std::string_view body, std::uint32_t count) {
  std::vector<std::string> parts;
  parts.reserve(count);
  std::string_view rest = body.substr(count * sizeof(std::uint64_t));
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto size = read_at<std::uint64_t>(body, i * sizeof(std::uint64_t));
    if (size > rest.size()) return malformed("part " + std::to_string(i) + " is longer than the frame");
    parts.emplace_back(rest.substr(0, size));
    rest.remove_prefix(size);
  }
  if (!rest.empty()) return malformed(std::to_string(rest.size()) + " bytes belong to no part");
  return parts;
}

}  // namespace

std::string_view to_string(FrameKind kind) {
  static constexpr std::array<std::string_view, 11> kNames = {
      "", "open", "probe", "resolve_target", "supports", "toolchain", "wrap", "build", "reply", "log", "standalone"};
  return kNames[static_cast<std::size_t>(kind)];
}

Result<std::string> encode(const Frame& frame) {
  Header header{.kind = static_cast<std::uint32_t>(frame.kind),
                .parts = static_cast<std::uint32_t>(frame.parts.size()),
                .bytes = frame.parts.size() * sizeof(std::uint64_t)};
  for (const std::string& part : frame.parts) header.bytes += part.size();
  if (frame.parts.size() > kMaxFrameParts || header.bytes > kMaxFrameBytes) {
    return make_error(ErrorCode::kInvalidArgument,
                      std::to_string(frame.parts.size()) + " files with " + std::to_string(header.bytes) +
                          " bytes are too much for a worker process (the limits are " + std::to_string(kMaxFrameParts) +
                          " and " + std::to_string(kMaxFrameBytes) + "). Leave isolation at \"none\".");
  }
  std::string bytes;
  bytes.reserve(sizeof header + header.bytes);
  append(bytes, header);
  for (const std::string& part : frame.parts) append(bytes, std::uint64_t{part.size()});
  for (const std::string& part : frame.parts) bytes += part;
  return bytes;
}

Result<std::optional<Frame>> FrameReader::next() {
  if (bytes_.size() < sizeof(Header)) return std::optional<Frame>();
  const auto header = read_at<Header>(bytes_, 0);
  KMUX_TRY(check(header));
  if (bytes_.size() - sizeof header < header.bytes) return std::optional<Frame>();
  const std::string_view body = std::string_view(bytes_).substr(sizeof header, header.bytes);
  KMUX_ASSIGN(std::vector<std::string> parts, split(body, header.parts));
  bytes_.erase(0, sizeof header + header.bytes);
  return std::optional(Frame{static_cast<FrameKind>(header.kind), std::move(parts)});
}

Result<std::int64_t> read_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size()) return value;
  return malformed("\"" + std::string(text.substr(0, 40)) + "\" is no number");
}

}  // namespace kmux
