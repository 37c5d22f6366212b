#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "control.h"
#include "launch/hip_abi.h"
#include "launch/hip_symbols.h"

namespace kmux::fake_hip {

/// The result of a HIP call: an int for its caller, and the last error of the thread if it is an error. Success leaves
/// the last error unchanged, as ROCm 7 does.
///
/// Source: AMD, "HIP API 7.0 changes"; the ABI of the processor, which returns a record of one int as an int.
class ReturnCode {
 public:
  ReturnCode(int code) : code_(code) { note(code); }  // NOLINT(google-explicit-constructor): functions return it
  operator int() const { return code_; }  // NOLINT(google-explicit-constructor)

 private:
  static void note(int code);
  int code_;
};
static_assert(sizeof(ReturnCode) == sizeof(int) && std::is_trivially_copyable_v<ReturnCode>);

}  // namespace kmux::fake_hip

// Declares every symbol of the table as the library exports it, so that a definition with other parameters does not
// compile.
#ifdef __clang__
#pragma clang diagnostic ignored "-Wreturn-type-c-linkage"
#endif
#define KMUX_CALL(name, symbol, params) \
  extern "C" __attribute__((visibility("default"))) kmux::fake_hip::ReturnCode symbol params;
KMUX_HIP_CALLS(KMUX_CALL)
KMUX_HIP_GRAPH_CALLS(KMUX_CALL)
KMUX_OPTIONAL_HIP_CALLS(KMUX_CALL)
#undef KMUX_CALL

namespace kmux::fake_hip {

using namespace hip;  // NOLINT(google-build-using-namespace): the names of HIP's interface

/// Returns the wavefront size of an architecture: 64 up to gfx9, then 32. Source: LLVM's AMDGPU backend, processors.
int wavefront_of(const std::string& arch);

struct Capture;

struct Stream {
  int device = 0;
  unsigned flags = 0;
};

struct Event {
  std::int64_t recorded_at = 0;  // in ns; 0: never
  hipStream_t stream = nullptr;  // on which it was recorded
  std::shared_ptr<Capture> capture = nullptr;
};

struct Fault {
  std::string symbol;  // empty: any
  int code = 0;
  unsigned nth = 1;
};

/// Returns the initial device, of the architecture KMUX_FAKE_HIP_ARCH if that is set.
Device default_device();

/// The state behind the interface. Everything except `recording` is guarded by `mutex`.
struct World {
  std::mutex mutex;
  std::vector<Device> devices = {default_device()};
  std::vector<std::string> calls = {};
  std::vector<Fault> faults = {};
  std::string failed = {};
  std::map<std::uintptr_t, std::size_t> memory = {};  // size by address
  std::map<std::uintptr_t, std::size_t> variables = {};  // of modules, once queried; size by address
  std::set<hipModule_t> modules = {};
  std::map<hipStream_t, Stream> streams = {};
  std::map<hipEvent_t, Event> events = {};
  std::map<hipStream_t, std::shared_ptr<Capture>> captures = {};  // in progress, by each stream that records
  std::map<void*, std::shared_ptr<Capture>> graphs = {};  // made by captures
  std::set<hipGraph_t> made_graphs = {};  // by hipGraphCreate
  std::set<hipGraphExec_t> executables = {};
  unsigned long long last_capture = 0;
  std::vector<std::string> misuses = {};
  std::atomic<bool> recording{true};
};
World& world();

/// Returns the device that is current on this thread.
int& current_device();

/// Returns the value of hipGetLastError on this thread.
int& last_error();

/// Returns the mode of this thread towards captures of other threads, a hipStreamCaptureMode.
int& capture_mode();

/// Records `symbol`. Returns the code with which the call must fail, or 0.
int begin(const char* symbol);

/// Returns true if `bytes` bytes from `address` are memory of a device.
bool is_device_memory(const void* address, std::size_t bytes);

/// Records an operation that is invalid on a device.
void note_misuse(const std::string& what);

}  // namespace kmux::fake_hip

/// Returns from the function if the call must fail.
#define KMUX_BEGIN(symbol) \
  if (const int kmux_fault = kmux::fake_hip::begin(symbol)) return kmux_fault
