#include "kmux/bench/figure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "base/duration_text.h"

namespace kmux::bench {
namespace {

// Above this, a half width is less informative than the ends.
constexpr double kWidestPercent = 50;

struct Unit {
  std::string_view of;    // the column's unit
  std::string_view name;
  double size;            // in the column's unit
};

// The larger first; a value smaller than all uses the last.
constexpr std::array<Unit, 16> kUnits = {{{"calls/s", "Mcalls/s", 1e6},
                                          {"calls/s", "kcalls/s", 1e3},
                                          {"calls/s", "calls/s", 1},
                                          {"GB/s", "TB/s", 1e3},
                                          {"GB/s", "GB/s", 1},
                                          {"GB/s", "MB/s", 1e-3},
                                          {"GFLOP/s", "TFLOP/s", 1e3},
                                          {"GFLOP/s", "GFLOP/s", 1},
                                          {"GFLOP/s", "MFLOP/s", 1e-3},
                                          {"MiB", "GiB", 1024},
                                          {"MiB", "MiB", 1},
                                          {"KiB", "KiB", 1},
                                          {"registers", "registers", 1},
                                          {"bytes", "KiB", 1024},
                                          {"bytes", "bytes", 1},
                                          {"%", "%", 1}}};

const Unit& unit_for(std::string_view of, double value) {
  const Unit* last = kUnits.data();
  for (const Unit& unit : kUnits) {
    if (unit.of != of) continue;
    last = &unit;
    if (std::abs(value) >= unit.size) break;
  }
  return *last;
}

}  // namespace

std::string figure(Column column, double value) {
  if (info(column).unit == "us") return duration_text(1000 * value);
  const Unit& unit = unit_for(info(column).unit, value);
  const bool is_count = unit.of == "registers" || unit.name == "bytes";
  return (is_count ? std::to_string(std::llround(value)) : three_digits(value / unit.size)) + " " +
         std::string(unit.name);
}

std::string spread(Column column, const Interval& interval) {
  if (interval.low == interval.high || interval.median == 0) return "";
  const double half = 50 * (interval.high - interval.low) / interval.median;
  if (half < kWidestPercent) return "+-" + three_digits(half) + " %";
  return figure(column, interval.low) + " to " + figure(column, interval.high);
}

std::string ratio_text(const Interval& ratio) {
  const bool is_slower = ratio.median >= 1;
  return three_digits(is_slower ? ratio.median : 1 / ratio.median) + "x " + (is_slower ? "slower" : "faster");
}

std::string ratio_spread(const Interval& ratio) {
  const bool is_slower = ratio.median >= 1;
  return three_digits(is_slower ? ratio.low : 1 / ratio.high) + " to " +
         three_digits(is_slower ? ratio.high : 1 / ratio.low);
}

namespace {

constexpr std::array<ColumnInfo, 18> kColumns = {{
    {Column::kDeviceHot, "device_hot", "device, hot", "us",
     "A call among many back to back, by the device's events; the device is kept busy by flushing its L2 cache until "
     "all "
     "are queued, so that gaps of launching stay out. By the host's clock on the host, and where a backend has no "
     "events.",
     true},
    {Column::kDeviceCold, "device_cold", "device, cold", "us",
     "One call by the device's events, its L2 cache flushed before, as often as keeps the device busy until the call "
     "is "
     "queued, so that gaps of launching stay out. By the host's clock on the host, and where a backend has no events.",
     true},
    {Column::kHostCall, "host_call", "host, a call", "us",
     "How long the caller is kept: calls back to back without waiting, each with all checks. On the host the work "
     "itself "
     "is in it.",
     true},
    {Column::kEndToEnd, "end_to_end", "end to end", "us",
     "A call among many back to back, from the first until the device is done, by the host's clock.", true},
    {Column::kThroughput, "throughput", "throughput, end to end", "calls/s",
     "Calls a second, back to back from one thread: one over end to end.", false},
    {Column::kBytesRate, "bytes_rate", "bytes a second", "GB/s",
     "The bytes that the program declares for a call, over device, hot.", false},
    {Column::kFlopRate, "flop_rate", "operations a second", "GFLOP/s",
     "The operations that the program declares for a call, over device, hot.", false},
    {Column::kResolve, "resolve", "resolve", "us", "Choosing plugin and variant, with the plugins open.", true},
    {Column::kWrap, "wrap", "wrap", "us", "The plugin's launcher: text or plan, made from the body.", true},
    {Column::kBuild, "build", "build, cold", "us",
     "Compiling sources and launcher without any cache of kmux; compilers in this process, and the machine's file "
     "cache, "
     "are warm.",
     true},
    {Column::kLoad, "load", "load, warm", "us",
     "compile() of a runtime that has the plugin open but has not seen the program, from the cache on disk to a kernel "
     "that can be called.",
     true},
    {Column::kFirstCall, "first_call", "first call", "us",
     "The first call of a kernel that was not warmed, until the device is done.", true},
    {Column::kPeakMemory, "peak_memory", "peak memory", "MiB",
     "What a cold build takes, made once more in a worker process: the memory of the worker and of the compilers that "
     "it "
     "starts, each at its own most, those that live at the same time together, looked at every millisecond.",
     true},
    {Column::kArtifactSize, "artifact_size", "artifact", "KiB", "Size of a build on disk.", true},
    {Column::kRegisters, "registers", "registers a thread", "registers",
     "The most that a kernel of the program takes, as its compiler wrote it down.", true},
    {Column::kSharedMemory, "shared_memory", "shared memory", "bytes",
     "Static shared memory of a block, the most of the program's kernels, as the compiler wrote it down.", true},
    {Column::kLocalMemory, "local_memory", "local memory", "bytes",
     "Of a thread: spilled registers, and arrays with computed indices; the most of the program's kernels, as the "
     "compiler wrote it down.",
     true},
    {Column::kOccupancy, "occupancy", "occupancy", "%",
     "Of the threads that a multiprocessor can have at once, those that the blocks of a launch leave room for; the "
     "least of the program's launches.",
     false},
}};

}  // namespace

std::span<const ColumnInfo> columns() { return kColumns; }

const ColumnInfo& info(Column column) { return kColumns[static_cast<std::size_t>(column)]; }

std::optional<Column> column_named(std::string_view name) {
  const auto found = std::ranges::find(kColumns, name, &ColumnInfo::name);
  if (found == kColumns.end()) return std::nullopt;
  return found->column;
}

}  // namespace kmux::bench
