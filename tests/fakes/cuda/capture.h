#pragma once

#include <map>
#include <vector>

#include "objects.h"

namespace kmux::fake_cuda {

// Result codes of captures that kmux does not name.
constexpr CUresult kCaptureInvalidated = static_cast<CUresult>(901);
constexpr CUresult kCaptureMerge = static_cast<CUresult>(902);
constexpr CUresult kCaptureUnmatched = static_cast<CUresult>(903);
constexpr CUresult kCaptureUnjoined = static_cast<CUresult>(904);
constexpr CUresult kCaptureIsolation = static_cast<CUresult>(905);
constexpr CUresult kCapturedEvent = static_cast<CUresult>(907);
constexpr CUresult kIllegalState = static_cast<CUresult>(401);

/// A capture in progress, or one that was invalidated and has not ended.
struct Capture {
  std::uint64_t id = 0;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  unsigned thread = 0;  // that began it; 0: unknown to the fake
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
  CUgraph graph = nullptr;  // null: captured operations are not recorded
  CUstream origin = nullptr;
  std::map<CUstream, std::vector<CUgraphNode>> last = {};  // of each stream that takes part
};

/// The captures of a process, by stream key. Guarded by the world's mutex.
class Captures {
 public:
  Capture& begin(CUstream stream, CUstreamCaptureMode mode, unsigned thread, CUgraph graph);
  void end(CUstream stream);
  /// Returns the capture that a stream takes part in; null if none.
  Capture* find(CUstream stream);
  Capture* find(std::uint64_t id);
  CUstreamCaptureStatus status_of(CUstream stream);
  bool empty() const { return captures_.empty(); }
  std::vector<CUstream> active_streams() const;

  /// Invalidates the captures that forbid unsafe calls by `thread`, whose capture mode is `mode`.
  ///
  /// Errors: STREAM_CAPTURE_UNSUPPORTED if one was invalidated.
  /// Source: CUDA Driver API, cuThreadExchangeStreamCaptureMode.
  CUresult spoil(CUstreamCaptureMode mode, unsigned thread);

 private:
  std::map<std::uint64_t, Capture> captures_;
};

}  // namespace kmux::fake_cuda
