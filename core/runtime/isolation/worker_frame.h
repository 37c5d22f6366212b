#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/error.h"

namespace kmux {

/// What a frame asks or answers. The calls are those of kmux_plugin_api.
enum class FrameKind : std::uint32_t {
  kOpen = 1,  // name, value, ... of the plugin's options
  kProbe,
  kResolveTarget,
  kSupports,
  kToolchain,
  kWrap,
  kBuild,
  kReply,  // code, output, error: what the plugin returned and wrote to its two sinks; bytes that the worker took
  kLog,    // level, text
  kStandalone,
};

/// The name of a call as it is in kmux_plugin_api, for example "resolve_target".
std::string_view to_string(FrameKind kind);

/// One message between an application and a worker: parts are the bytes that cross the plugin ABI; numbers are decimal.
struct Frame {
  FrameKind kind = FrameKind::kReply;
  std::vector<std::string> parts = {};
  bool operator==(const Frame&) const = default;
};

/// The most that one frame may hold, so that a damaged length cannot ask for all memory.
inline constexpr std::uint64_t kMaxFrameBytes = std::uint64_t{1} << 30;
inline constexpr std::uint32_t kMaxFrameParts = 1U << 16;

/// Magic, kind, number of parts, bytes that follow; the size of each part; the parts. Numbers are in the machine's order:
/// both ends are on one machine.
///
/// Errors: invalid_argument for more than a frame may hold.
Result<std::string> encode(const Frame& frame);

/// Takes frames out of a stream of bytes.
class FrameReader {
 public:
  void append(std::string_view bytes) { bytes_.append(bytes); }
  /// The next whole frame, if there is one.
  ///
  /// Errors: internal that says what is wrong, whatever the bytes; the stream is lost then.
  Result<std::optional<Frame>> next();

 private:
  std::string bytes_;
};

/// The decimal number `text`.
///
/// Errors: internal for anything else.
Result<std::int64_t> read_number(std::string_view text);

}  // namespace kmux
