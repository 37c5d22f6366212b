#include "benchmark_name.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "kmux/bench/binding.h"

namespace kmux::bench {
namespace {

/// How a benchmark was measured, not what.
bool is_about_measuring(std::string_view part) {
  static constexpr std::array<std::string_view, 3> kWords = {"real_time", "process_time", "manual_time"};
  static constexpr std::array<std::string_view, 4> kKeys = {"min_time", "min_warmup_time", "iterations", "repeats"};
  return std::ranges::find(kWords, part) != kWords.end() ||
         std::ranges::find(kKeys, part.substr(0, part.find(':'))) != kKeys.end();
}

/// A number in the name: "8" or "n:8".
struct Argument {
  std::string_view name;  // empty: it has none
  std::int64_t value = 0;
};

std::optional<Argument> argument_in(std::string_view part) {
  const std::size_t colon = part.rfind(':');
  const std::size_t begin = colon == std::string_view::npos ? 0 : colon + 1;
  const std::optional<std::int64_t> value = parse_integer(part.substr(begin));
  if (!value) return std::nullopt;
  return Argument{part.substr(0, begin == 0 ? 0 : colon), *value};
}

/// Its parts without those about measuring.
std::vector<std::string_view> parts_of(std::string_view name) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('/', begin), name.size());
    if (const auto part = name.substr(begin, end - begin); !is_about_measuring(part)) parts.push_back(part);
    begin = end + 1;
  }
  return parts;
}

}  // namespace

BenchmarkName read_benchmark_name(std::string_view name) {
  BenchmarkName result;
  std::size_t position = 0;
  for (const std::string_view part : parts_of(name)) {
    const std::optional<Argument> argument = result.family.empty() ? std::nullopt : argument_in(part);
    if (!argument) {
      result.family.append(result.family.empty() ? "" : "/").append(part);
      continue;
    }
    const std::string unnamed = "arg" + std::to_string(position);
    result.point[argument->name.empty() ? unnamed : std::string(argument->name)] = argument->value;
    ++position;
  }
  return result;
}

}  // namespace kmux::bench
