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

/// What a plan becomes before it runs. A launch has words (first the values that expressions use: bindings, lets, loop
/// variables; then the computed arguments of one kernel) and addresses (workspaces; then the computed ones of a kernel).

/// A number, and for messages what it is of: `grid of "k" = "(n, 1, 1)"`.
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

/// An address out of a slot or of the addresses; its offset only where it is not 0.
struct RunnerAddress {
  PlanAddress::Source source = PlanAddress::Source::kSlot;
  std::size_t index = 0;
  bool has_offset = false;
  RunnerChecked offset;
};

/// No allocator need align to more than `kGranted` bytes: for more, that much more is allocated and the address rounded
/// up.
struct RunnerWorkspace {
  static constexpr std::int64_t kGranted = 256;
  std::size_t address = 0;  // where it begins, for kernels
  std::size_t whole = 0;  // what the allocator gave: the same address, unless that is rounded up
  RunnerChecked bytes;
  std::int64_t alignment_bytes = kGranted;
  std::string name;
  bool is_rounded() const { return alignment_bytes > kGranted; }
};

/// One of several numbers that is not the same in every launch.
struct RunnerPatch {
  std::size_t index = 0;
  RunnerChecked value;
};

/// The parts of `ready` that point into the map, and what changes from call to call.
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

/// An argument that does not lie ready in a slot or in a map: is computed into a word or an address.
struct RunnerArgument {
  enum class Kind : std::uint8_t { kAddress, kNumber, kTruth };
  Kind kind = Kind::kNumber;
  std::size_t target = 0;
  std::size_t slot = 0;  // of kTruth
  RunnerChecked number;
  RunnerAddress address;
};

/// Where an argument lies when the kernel is launched.
struct RunnerPlace {
  enum class Base : std::uint8_t { kSlots, kWords, kAddresses, kMaps };
  Base base = Base::kSlots;
  std::size_t offset_bytes = 0;
};

/// A member of a structure, which is copied from where it would lie as an argument of its own.
struct RunnerCopy {
  RunnerPlace from;
  std::size_t offset_bytes = 0;  // of the member, from the first word
  std::size_t bytes = 0;
};

/// Words that are 0 but for members of a structure.
struct RunnerZeros {
  std::size_t first = 0;
  std::size_t count = 0;
};

struct RunnerWindow {
  RunnerAddress base;
  RunnerChecked bytes;
  double hit_ratio = 0;
};

/// `ready` has what is constant; the patches are what is not, or is out of range in every launch.
struct RunnerLaunch {
  kmux_driver_launch ready = {};
  std::vector<RunnerPatch> grid;
  std::vector<RunnerPatch> block;
  std::vector<RunnerPatch> cluster;
  std::vector<RunnerPatch> dynamic_smem;  // one or none
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
  std::vector<RunnerAssert> bounds;  // one or none
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

/// What a launch needs on its stack.
struct RunnerFrameSize {
  std::size_t words = 0;
  std::size_t addresses = 0;
  std::size_t places = 0;
  std::size_t maps = 0;
  std::size_t windows = 0;
};

struct RunnerCode {
  RunnerFrameSize size;
  std::size_t values = 0;  // the first words
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
  std::deque<std::string> texts;  // which `what` points to

  /// Asks the caches, which the work of a driver leaves cold, for what a launch reads last.
  void prefetch() const noexcept {
    if (launches.empty()) return;
    const auto* const bytes = reinterpret_cast<const char*>(launches.data());
    for (std::size_t offset = 0; offset < sizeof(RunnerLaunch); offset += 64) __builtin_prefetch(bytes + offset);
  }
};

/// Errors: as `PlanRunner::compile`.
Result<std::unique_ptr<const RunnerCode>> compile_runner(const Plan& plan);

/// What lies on the stack of a launch; the sizes differ only so that small plans touch little of it. Not initialised: a plan
/// writes before it reads.
///
/// A structure among the words is aligned as its type asks, up to `kFrameAlignment` bytes.
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

/// Each writes why a launch fails, in the words of printed launchers, and returns the code of the error.
int fail_value(kmux_sink error, const std::string& what, Fault fault);
int fail_assert(kmux_sink error, const RunnerAssert& check, std::span<const std::int64_t> values);
/// `code` is the allocator's.
int fail_allocation(kmux_sink error, const RunnerWorkspace& workspace, unsigned long long bytes, int device, int code);

}  // namespace kmux
