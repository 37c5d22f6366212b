#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "nvidia/launch/driver_table.h"

namespace kmux::nvidia {

/// A driver that does nothing but write down its calls, for tests of what keeps tensor maps and graphs. One at a time.
class RecordedDriver {
 public:
  RecordedDriver();
  ~RecordedDriver();
  RecordedDriver(const RecordedDriver&) = delete;
  RecordedDriver& operator=(const RecordedDriver&) = delete;

  DriverTable table = {};
  /// The parameter sizes of each kernel, by the number that its handle is. Those that are not named have one pointer.
  std::map<std::uintptr_t, std::vector<size_t>> parameters;

  /// The next call of `symbol` gives `result` and does nothing.
  void fail(const std::string& symbol, CUresult result) { failures_[symbol] = result; }

  /// The calls since the last `take`, as "cuGraphLaunch executable=2 stream=7".
  std::vector<std::string> take();

  /// What a thread's captures are now.
  CUstreamCaptureMode capture_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

  /// Graphs and executables that exist.
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
