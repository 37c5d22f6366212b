#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

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
};

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
const ColumnInfo& info(Column column);
/// The column of that name, or nothing.
std::optional<Column> column_named(std::string_view name);

}  // namespace kmux::bench
