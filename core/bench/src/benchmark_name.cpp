#include "benchmark_name.h"

#include <algorithm>
#include <array>
#include <optional>

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

}  // namespace

BenchmarkName read_benchmark_name(std::string_view name) {
  BenchmarkName result;
  std::size_t argument = 0;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('/', begin), name.size());
    const std::string_view part = name.substr(begin, end - begin);
    begin = end + 1;
    if (is_about_measuring(part)) continue;
    const std::size_t colon = part.rfind(':');
    const bool is_named = colon != std::string_view::npos;
    const std::optional<std::int64_t> value = parse_integer(is_named ? part.substr(colon + 1) : part);
    if (value && !result.family.empty()) {
      result.point[is_named ? std::string(part.substr(0, colon)) : "arg" + std::to_string(argument)] = *value;
      if (!is_named || part.substr(0, colon) != "threads") ++argument;
    } else {
      result.family.append(result.family.empty() ? "" : "/").append(part);
    }
  }
  return result;
}

}  // namespace kmux::bench
