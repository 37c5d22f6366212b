#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "nvidia/launch/driver_table.h"

namespace kmux::nvidia {

/// A driver that only records its calls, for tests of the caches of tensor maps and graphs. Only one may exist at a
/// time.
class RecordedDriver {
 public:
  RecordedDriver();
  ~RecordedDriver();
  RecordedDriver(const RecordedDriver&) = delete;
  RecordedDriver& operator=(const RecordedDriver&) = delete;

  DriverTable table = {};
  /// The parameter sizes of each kernel, by the number in its handle. Kernels not listed have one pointer.
  std::map<std::uintptr_t, std::vector<size_t>> parameters;

  /// Makes the next call of `symbol` return `result` and do nothing.
  void fail(const std::string& symbol, CUresult result) { failures_[symbol] = result; }

  /// Returns the calls since the last `take`, as "cuGraphLaunch executable=2 stream=7".
  std::vector<std::string> take();

  /// The current capture mode of the thread.
  CUstreamCaptureMode capture_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

  /// Returns the number of existing graphs and executables.
  int live() const { return live_; }

 private:
  friend struct RecordedCalls;

  CUresult record(const std::string& symbol, const std::string& detail);
  std::uintptr_t make();

  std::map<std::string, CUresult> failures_;
  std::vector<std::string> calls_;
  std::uintptr_t last_handle_ = 0;
  int live_ = 0;
};

}  // namespace kmux::nvidia
