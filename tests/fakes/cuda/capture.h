#pragma once

#include <map>
#include <vector>

#include "objects.h"

namespace kmux::fake_cuda {

// Results of captures that kmux has no name for.
constexpr CUresult kCaptureInvalidated = static_cast<CUresult>(901);
constexpr CUresult kCaptureMerge = static_cast<CUresult>(902);
constexpr CUresult kCaptureUnmatched = static_cast<CUresult>(903);
constexpr CUresult kCaptureUnjoined = static_cast<CUresult>(904);
constexpr CUresult kCaptureIsolation = static_cast<CUresult>(905);
constexpr CUresult kCapturedEvent = static_cast<CUresult>(907);
constexpr CUresult kIllegalState = static_cast<CUresult>(401);

/// A capture in progress, or one that was invalidated and not yet ended.
struct Capture {
  std::uint64_t id = 0;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  unsigned thread = 0;  // that began it; 0: none that the fake has seen
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
  CUgraph graph = nullptr;  // null: what is captured is recorded nowhere
  CUstream origin = nullptr;
  std::map<CUstream, std::vector<CUgraphNode>> last = {};  // of each stream that takes part
};

/// The captures of a process, by their streams' keys. Guarded by the world's mutex.
class Captures {
 public:
  Capture& begin(CUstream stream, CUstreamCaptureMode mode, unsigned thread, CUgraph graph);
  void end(CUstream stream);
  /// The capture that a stream takes part in; null: none.
  Capture* find(CUstream stream);
  Capture* find(std::uint64_t id);
  CUstreamCaptureStatus status_of(CUstream stream);
  bool empty() const { return captures_.empty(); }
  std::vector<CUstream> active_streams() const;

  /// Invalidates the captures beside which `thread`, whose mode is `mode`, must not make unsafe calls.
  ///
  /// Errors: STREAM_CAPTURE_UNSUPPORTED if there was one.
  /// Source: CUDA Driver API, cuThreadExchangeStreamCaptureMode.
  CUresult spoil(CUstreamCaptureMode mode, unsigned thread);

 private:
  std::map<std::uint64_t, Capture> captures_;
};

}  // namespace kmux::fake_cuda
