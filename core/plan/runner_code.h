#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kmux/plugin/driver.h"
#include "kmux/plugin/plan.h"

#include "ir/arithmetic.h"
#include "runner_number.h"

namespace kmux {

/// The compiled form of a plan. A launch has words (first the values that expressions use: bindings, lets, loop
/// variables; then the computed arguments of one kernel) and addresses (workspaces; then the computed addresses of a
/// kernel).

/// A number and its description for messages: `grid of "k" = "(n, 1, 1)"`.
struct RunnerChecked {
  RunnerNumber number;
  const std::string* what = nullptr;
};

struct RunnerBinding {
  enum class Read : std::uint8_t { kSigned, kUnsigned, kTooLargeFails, kTruth };
  std::size_t slot = 0;
  std::size_t word = 0;
  Read read = Read::kSigned;
  std::uint8_t unused_bits = 0;  // of the slot
  const std::string* what = nullptr;
};

struct RunnerLet {
  std::size_t word = 0;
  RunnerChecked value;
};

struct RunnerAssert {
  struct Number {
    RunnerNumber value;
    std::string text;
  };
  RunnerCondition condition;
  const std::string* what = nullptr;
  std::string message;
  std::vector<Number> numbers;
};

/// An address from a slot or from the workspace addresses, with an offset unless it is 0.
struct RunnerAddress {
  PlanAddress::Source source = PlanAddress::Source::kSlot;
  std::size_t index = 0;
  bool has_offset = false;
  RunnerChecked offset;
};

/// A workspace. Allocators must support alignments up to `kGranted` bytes only: for a larger one, the launch allocates
/// more memory and rounds up the address.
struct RunnerWorkspace {
  static constexpr std::int64_t kGranted = 256;
  std::size_t address = 0;  // index of the address for kernels
  std::size_t whole = 0;  // index of the allocated address: the same, unless the address is rounded up
  RunnerChecked bytes;
  std::int64_t alignment_bytes = kGranted;
  std::string name;
  bool is_rounded() const { return alignment_bytes > kGranted; }
};

/// One of several numbers that differs between launches.
struct RunnerPatch {
  std::size_t index = 0;
  RunnerChecked value;
};

/// A tensor map: `ready` points to the name and arrays here; base and patches differ between calls.
struct RunnerMap {
  PlanMap plan;  // keeps the name
  kmux_map_geometry ready = {};
  RunnerAddress base;
  std::vector<unsigned long long> dims;
  std::vector<unsigned long long> strides_bytes;
  std::vector<RunnerPatch> dim_patches;
  std::vector<RunnerPatch> stride_patches;
  std::vector<unsigned> element_strides;
  bool is_tiled = true;
  std::vector<unsigned> box;
  std::vector<int> lower_corner;
  std::vector<int> upper_corner;
  unsigned channels_per_pixel = 0;
  unsigned pixels_per_column = 0;
};

/// An argument that is not ready in a slot or map and is computed into a word or an address.
struct RunnerArgument {
  enum class Kind : std::uint8_t { kAddress, kNumber, kTruth };
  Kind kind = Kind::kNumber;
  std::size_t target = 0;
  std::size_t slot = 0;  // of kTruth
  RunnerChecked number;
  RunnerAddress address;
};

/// The place of an argument when the kernel is launched.
struct RunnerPlace {
  enum class Base : std::uint8_t { kSlots, kWords, kAddresses, kMaps };
  Base base = Base::kSlots;
  std::size_t offset_bytes = 0;
};

/// A member of a structure, copied from its place as a separate argument.
struct RunnerCopy {
  RunnerPlace from;
  std::size_t offset_bytes = 0;  // of the member, from the first word
  std::size_t bytes = 0;
};

/// The words of a structure, which are 0 except for its members.
struct RunnerZeros {
  std::size_t first = 0;
  std::size_t count = 0;
};

struct RunnerWindow {
  RunnerAddress base;
  RunnerChecked bytes;
  double hit_ratio = 0;
};

/// A launch. `ready` has the constant numbers; patches are numbers that are not constant, or constants out of range.
struct RunnerLaunch {
  kmux_driver_launch ready = {};
  std::vector<RunnerPatch> grid;
  std::vector<RunnerPatch> block;
  std::vector<RunnerPatch> cluster;
  std::vector<RunnerPatch> dynamic_smem;  // at most one
  std::vector<RunnerArgument> arguments;
  std::vector<RunnerPlace> places;
  std::vector<RunnerZeros> zeros;  // of structures with gaps
  std::vector<RunnerCopy> copies;  // of the members of structures
  std::vector<RunnerWindow> windows;
};

struct RunnerFill {
  RunnerAddress target;
  RunnerChecked bytes;
  std::uint8_t value = 0;
  unsigned step = 0;
  std::vector<RunnerAssert> bounds;  // at most one
};

/// A step by its kind and its index in the list of that kind.
struct RunnerStep {
  enum class Kind : std::uint8_t { kLaunch, kFill, kIf, kFor };
  Kind kind = Kind::kLaunch;
  std::size_t index = 0;
};
using RunnerSteps = std::vector<RunnerStep>;

struct RunnerIf {
  RunnerChecked condition;
  RunnerSteps then_steps;
  RunnerSteps else_steps;
};

struct RunnerFor {
  std::size_t word = 0;
  RunnerChecked begin;
  RunnerChecked end;
  RunnerSteps steps;
};

/// The stack space that a launch needs, in elements of each array.
struct RunnerFrameSize {
  std::size_t words = 0;
  std::size_t addresses = 0;
  std::size_t places = 0;
  std::size_t maps = 0;
  std::size_t windows = 0;
};

struct RunnerCode {
  RunnerFrameSize size;
  std::size_t values = 0;  // number of words that expressions use, which come first
  bool has_preparations = false;  // lets, asserts, workspaces or maps
  std::vector<RunnerBinding> bindings;
  std::vector<RunnerLet> lets;
  std::vector<RunnerAssert> asserts;
  std::vector<RunnerWorkspace> workspaces;
  std::vector<RunnerMap> maps;
  RunnerSteps steps;
  std::vector<RunnerLaunch> launches;
  std::vector<RunnerFill> fills;
  std::deque<RunnerIf> ifs;
  std::deque<RunnerFor> fors;
  std::deque<std::string> texts;  // owns the targets of `what`

  /// Prefetches the data that a launch reads last, since the work of a driver leaves caches cold.
  void prefetch() const noexcept {
    if (launches.empty()) return;
    const auto* const bytes = reinterpret_cast<const char*>(launches.data());
    for (std::size_t offset = 0; offset < sizeof(RunnerLaunch); offset += 64) __builtin_prefetch(bytes + offset);
  }
};

/// Compiles `plan`.
///
/// Errors: as `PlanRunner::compile`.
Result<std::unique_ptr<const RunnerCode>> compile_runner(const Plan& plan);

/// The stack frame of a launch; there are two sizes so that small plans touch little stack. Not initialised: a plan
/// writes before it reads.
///
/// A structure among the words has the alignment of its type, up to `kFrameAlignment` bytes.
inline constexpr std::size_t kFrameAlignment = 64;
template <std::size_t kWords, std::size_t kMaps, std::size_t kWindows>
struct RunnerFrame {
  static bool fits(const RunnerFrameSize& size) {
    return size.words <= kWords && size.addresses <= kWords && size.places <= kWords && size.maps <= kMaps &&
           size.windows <= kWindows;
  }
  alignas(kFrameAlignment) std::array<std::int64_t, kWords> words;
  std::array<void*, kWords> addresses;
  std::array<void*, kWords> places;
  std::array<kmux_tensor_map, kMaps> maps;
  std::array<kmux_driver_window, kWindows> windows;
};
using SmallRunnerFrame = RunnerFrame<32, 4, 2>;
using LargeRunnerFrame = RunnerFrame<4096, 256, 64>;

inline constexpr Fault kOutOfRange = "the value is out of range";

/// Each writes why a launch fails, with the text of printed launchers, and returns the error code.
int fail_value(kmux_sink error, const std::string& what, Fault fault);
int fail_assert(kmux_sink error, const RunnerAssert& check, std::span<const std::int64_t> values);
/// Returns `code`, the error code of the allocator.
int fail_allocation(kmux_sink error, const RunnerWorkspace& workspace, unsigned long long bytes, int device, int code);

}  // namespace kmux
