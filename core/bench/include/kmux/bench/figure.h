#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "kmux/interval.h"

namespace kmux::bench {

/// A quantity measured for a program on a backend.
enum class Column : std::uint8_t {
  kDeviceHot,
  kDeviceCold,
  kHostCall,
  kEndToEnd,
  kThroughput,
  kBytesRate,
  kFlopRate,
  kResolve,
  kWrap,
  kBuild,
  kLoad,
  kFirstCall,
  kPeakMemory,
  kArtifactSize,
  kRegisters,
  kSharedMemory,
  kLocalMemory,
  kOccupancy,
};

/// The names of a column.
struct ColumnInfo {
  Column column;
  std::string_view name;        // "device_hot"
  std::string_view title;       // "device, hot"
  std::string_view unit;        // "us"
  std::string_view definition;  // a sentence or two
  bool less_is_better;
};

/// Returns all columns, in the order of a table.
std::span<const ColumnInfo> columns();
/// Returns the names of `column`.
const ColumnInfo& info(Column column);
/// Returns the column of that name, or nothing.
std::optional<Column> column_named(std::string_view name);

/// Returns a number with three significant digits in a suitable unit of `column`. Examples: "812 ns", "5.70 ms", "1.20
/// GB/s", "4.1 KiB".
std::string figure(Column column, double value);

/// Returns half the width of the interval relative to the median, "+-1.2 %", or the ends, "0.9 to 31 ms", if the
/// interval is very wide; empty if it has no width.
std::string spread(Column column, const Interval& interval);

/// Returns a ratio of times in words. Examples: "1.25x faster", "1.03x slower".
std::string ratio_text(const Interval& ratio);
/// Returns its interval in the same direction: "1.20 to 1.31".
std::string ratio_spread(const Interval& ratio);

}  // namespace kmux::bench
