#pragma once

#include <cstdint>

#include "nvidia/launch/driver_table.h"

namespace kmux::order {

/// The driver's captures as an application uses them, on streams of device 0. Each function throws if the driver
/// refuses.
///
/// Threads: the caller's; makes the context of the device current on it.
class GraphCapture {
 public:
  GraphCapture();

  void begin(void* stream) const;
  /// Returns true if the stream is being captured and the capture is valid.
  bool is_whole(void* stream) const;
  nvidia::CUgraph end(void* stream) const;
  /// Instantiates `graph`, launches it on `stream` and destroys both, without waiting.
  void launch(nvidia::CUgraph graph, void* stream) const;
  void destroy(nvidia::CUgraph graph) const;

 private:
  const nvidia::DriverTable& driver_;
  nvidia::CUresult (*begin_)(nvidia::CUstream, nvidia::CUstreamCaptureMode) = nullptr;
  nvidia::CUresult (*end_)(nvidia::CUstream, nvidia::CUgraph*) = nullptr;
};

}  // namespace kmux::order
