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
  kLoad,  // code to try: docs/design/0052
  kLaunch,
};

/// The name of a call as it is in kmux_plugin_api, for example "resolve_target".
std::string_view to_string(FrameKind kind);

/// One message between an application and a worker: parts are the bytes that cross the plugin ABI; numbers are decimal.
struct Frame {
  FrameKind kind = FrameKind::kReply;
  std::vector<std::string> parts = {};
  bool operator==(const Frame&) const = default;
};

/// What opens a plugin with these options.
Frame open_frame(const Options& options);

/// A call, with the folder that relative paths in its options are meant from.
Frame call_frame(FrameKind kind, std::vector<std::string> parts = {});

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

/// A point in time at which waiting ends, or none.
class Deadline {
 public:
  Deadline() = default;
  explicit Deadline(const std::optional<std::chrono::milliseconds>& from_now) {
    if (from_now) end_ = Clock::now() + *from_now;
  }
  bool passed() const { return end_ && Clock::now() >= *end_; }
  /// What poll() takes to wait until then, but at most `most_ms`.
  int poll_ms(int most_ms) const {
    if (!end_) return most_ms;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*end_ - Clock::now()).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, most_ms));
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::optional<Clock::time_point> end_;
};

/// How far the bytes came.
enum class Transfer : std::uint8_t { kDone, kClosed, kTimeUp };

/// Sends all of `bytes`. No SIGPIPE is raised; an interrupted call goes on.
Transfer send_all(int socket, std::string_view bytes, const Deadline& deadline);

/// Gives `reader` what has arrived, waiting for at least one byte. kClosed at the end of the stream.
Transfer receive_some(int socket, FrameReader& reader);

/// The parts of a frame that carry a build request: its fields but for the context, then a part for each blob.
void append_request(Frame& frame, const kmux_build_request& request);

/// A build request made of parts of a frame.
///
/// Lifetime: borrows the frame.
class RequestParts {
 public:
  /// Reads the parts from `first` on.
  ///
  /// Errors: internal if there are too few, or the variant is not a number.
  static Result<RequestParts> read(const Frame& frame, std::size_t first);
  /// Lifetime: the request borrows this, too.
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
