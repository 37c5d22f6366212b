#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "kmux/interval.h"

namespace kmux::bench {

/// What is measured of a program on a backend.
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

/// How a column is called.
struct ColumnInfo {
  Column column;
  std::string_view name;        // "device_hot"
  std::string_view title;       // "device, hot"
  std::string_view unit;        // "us"
  std::string_view definition;  // a sentence or two
  bool less_is_better;
};

/// All columns, in the order of a table.
std::span<const ColumnInfo> columns();
/// How `column` is called.
const ColumnInfo& info(Column column);
/// The column of that name, or nothing.
std::optional<Column> column_named(std::string_view name);

/// A number with three significant digits and a fitting unit of `column`: "812 ns", "5.70 ms", "1.20 GB/s", "4.1 KiB".
std::string figure(Column column, double value);

/// Half the width of the interval in parts of the median: "+-1.2 %", or "0.9 to 31 ms" where that means nothing; empty if it
/// has no width.
std::string spread(Column column, const Interval& interval);

/// A ratio of times for people: "1.25x faster", "1.03x slower".
std::string ratio_text(const Interval& ratio);
/// Its interval in the same direction: "1.20 to 1.31".
std::string ratio_spread(const Interval& ratio);

}  // namespace kmux::bench
