#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/error.h"
#include "kmux/plugin/plugin.h"
#include "kmux/target.h"

namespace kmux {

/// The kind of a request or reply. The calls are those of kmux_plugin_api.
enum class FrameKind : std::uint32_t {
  kOpen = 1,  // name, value, ... of the plugin's options
  kProbe,
  kResolveTarget,
  kSupports,
  kToolchain,
  kWrap,
  kBuild,
  kReply,  // code, output, error: the plugin's return code and its two sinks; bytes that the worker used
  kLog,  // level, text
  kStandalone,
  kLoad,  // code to try: docs/design/0052
  kLaunch,
};

/// Returns the name of a call as in kmux_plugin_api, for example "resolve_target".
std::string_view to_string(FrameKind kind);

/// One message between an application and a worker: parts are the bytes that cross the plugin ABI; numbers are decimal.
struct Frame {
  FrameKind kind = FrameKind::kReply;
  std::vector<std::string> parts = {};
  bool operator==(const Frame&) const = default;
};

/// Returns the frame that opens a plugin with these options.
Frame open_frame(const Options& options);

/// Returns the frame of a call, with the current directory that relative paths in its options are based on.
Frame call_frame(FrameKind kind, std::vector<std::string> parts = {});

/// The limits of one frame, so that a damaged length cannot exhaust memory.
inline constexpr std::uint64_t kMaxFrameBytes = std::uint64_t{1} << 30;
inline constexpr std::uint32_t kMaxFrameParts = 1U << 16;

/// Encodes a frame: magic, kind, number of parts, number of following bytes; the size of each part; the parts. Numbers
/// are in native byte order, as both ends are on one machine.
///
/// Errors: invalid_argument for a frame above the limits.
Result<std::string> encode(const Frame& frame);

/// Extracts frames from a byte stream.
class FrameReader {
 public:
  void append(std::string_view bytes) { bytes_.append(bytes); }
  /// Returns the next complete frame, or nothing.
  ///
  /// Errors: internal with the problem for invalid bytes; the stream is then unusable.
  Result<std::optional<Frame>> next();

 private:
  std::string bytes_;
};

/// Returns the decimal number in `text`.
///
/// Errors: internal for anything else.
Result<std::int64_t> read_number(std::string_view text);

/// A time at which waiting ends, or none.
class Deadline {
 public:
  Deadline() = default;
  explicit Deadline(const std::optional<std::chrono::milliseconds>& from_now) {
    if (from_now) end_ = Clock::now() + *from_now;
  }
  bool passed() const { return end_ && Clock::now() >= *end_; }
  /// Returns the poll() time-out until the deadline, at most `most_ms`.
  int poll_ms(int most_ms) const {
    if (!end_) return most_ms;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*end_ - Clock::now()).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, most_ms));
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::optional<Clock::time_point> end_;
};

/// The result of a transfer.
enum class Transfer : std::uint8_t { kDone, kClosed, kTimeUp };

/// Sends all of `bytes`. Raises no SIGPIPE; resumes after an interruption.
Transfer send_all(int socket, std::string_view bytes, const Deadline& deadline);

/// Appends received bytes to `reader`, blocking for at least one byte. Returns kClosed at the end of the stream.
Transfer receive_some(int socket, FrameReader& reader);

/// Appends the parts of a build request to a frame: its fields without the context, then one part per blob.
void append_request(Frame& frame, const kmux_build_request& request);

/// A build request decoded from parts of a frame.
///
/// Lifetime: borrows the frame.
class RequestParts {
 public:
  /// Reads the parts starting at `first`.
  ///
  /// Errors: internal if parts are missing, or the variant is not a number.
  static Result<RequestParts> read(const Frame& frame, std::size_t first);
  /// Returns the request.
  ///
  /// Lifetime: the request borrows this object and `call`.
  kmux_build_request get(const kmux_call* call);

 private:
  kmux_bytes json_{};
  std::size_t variant_ = 0;
  kmux_bytes target_{};
  kmux_bytes options_{};
  kmux_bytes launcher_{};
  kmux_bytes artifact_{};
  std::vector<kmux_bytes> blobs_;
  kmux_program_view program_{};
};

}  // namespace kmux
