#include "worker_frame.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <poll.h>
#include <sys/socket.h>

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
      header.kind > static_cast<std::uint32_t>(FrameKind::kLaunch)) {
    return malformed("there is no kind " + std::to_string(header.kind));
  }
  if (header.parts > kMaxFrameParts) return malformed(std::to_string(header.parts) + " parts are too many");
  if (header.bytes > kMaxFrameBytes) return malformed(std::to_string(header.bytes) + " bytes are too many");
  if (header.bytes < header.parts * sizeof(std::uint64_t)) return malformed("it is too short for its sizes");
  return Ok{};
}

/// Returns the parts in `body`: one size per part, then the bytes.
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
  static constexpr std::array<std::string_view, 13> kNames = {
      "",      "open",  "probe", "resolve_target", "supports", "toolchain", "wrap",
      "build", "reply", "log",   "standalone",     "load",     "launch"};
  return kNames[static_cast<std::size_t>(kind)];
}

Frame open_frame(const Options& options) {
  Frame frame{FrameKind::kOpen};
  for (const auto& [name, value] : options) frame.parts.insert(frame.parts.end(), {name, value});
  return frame;
}

Frame call_frame(FrameKind kind, std::vector<std::string> parts) {
  std::error_code none;
  parts.insert(parts.begin(), std::filesystem::current_path(none).string());
  return {kind, std::move(parts)};
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
  return malformed("\"" + std::string(text.substr(0, 40)) + "\" is not a number");
}

namespace {

constexpr int kHourMs = 3'600'000;

}  // namespace

Transfer send_all(int socket, std::string_view bytes, const Deadline& deadline) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN) {
      pollfd end{socket, POLLOUT, 0};
      ::poll(&end, 1, deadline.poll_ms(kHourMs));
      if (deadline.passed()) return Transfer::kTimeUp;
    } else if (errno != EINTR) {
      return Transfer::kClosed;
    }
  }
  return Transfer::kDone;
}

Transfer receive_some(int socket, FrameReader& reader) {
  std::array<char, 65536> buffer;
  for (;;) {
    const ssize_t count = ::recv(socket, buffer.data(), buffer.size(), 0);
    if (count > 0) {
      reader.append({buffer.data(), static_cast<std::size_t>(count)});
      return Transfer::kDone;
    }
    if (count == 0 || errno != EINTR) return Transfer::kClosed;
  }
}

namespace {

constexpr std::size_t kFields = 6;

std::string copy(kmux_bytes bytes) { return bytes.size == 0 ? std::string() : std::string(bytes.data, bytes.size); }

kmux_bytes view(const std::string& text) { return {text.data(), text.size()}; }

}  // namespace

void append_request(Frame& frame, const kmux_build_request& request) {
  std::vector<std::string>& parts = frame.parts;
  parts.reserve(parts.size() + kFields + request.program->blob_count);
  parts.push_back(copy(request.program->json));
  parts.push_back(std::to_string(request.variant));
  parts.push_back(copy(request.target));
  parts.push_back(copy(request.options));
  parts.push_back(copy(request.launcher));
  parts.push_back(copy(request.artifact));
  for (std::size_t i = 0; i < request.program->blob_count; ++i) parts.push_back(copy(request.program->blobs[i]));
}

Result<RequestParts> RequestParts::read(const Frame& frame, std::size_t first) {
  const std::vector<std::string>& parts = frame.parts;
  if (parts.size() < first + kFields) {
    return make_error(ErrorCode::kInternal,
                      "a frame is damaged (a build request of " + std::to_string(parts.size()) + " parts).");
  }
  KMUX_ASSIGN(const std::int64_t variant, read_number(parts[first + 1]));
  RequestParts request;
  request.json_ = view(parts[first]);
  request.variant_ = static_cast<std::size_t>(variant);
  request.target_ = view(parts[first + 2]);
  request.options_ = view(parts[first + 3]);
  request.launcher_ = view(parts[first + 4]);
  request.artifact_ = view(parts[first + 5]);
  for (std::size_t i = first + kFields; i < parts.size(); ++i) request.blobs_.push_back(view(parts[i]));
  return request;
}

kmux_build_request RequestParts::get(const kmux_call* call) {
  program_ = {sizeof program_, json_, blobs_.data(), blobs_.size()};
  return {sizeof(kmux_build_request), &program_, variant_, target_, options_, launcher_, artifact_, call};
}

}  // namespace kmux
