#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "regress/duel.h"

namespace kmux::regress {

/// The slowdown that a case allows by default. Units: parts of its ratio.
inline constexpr double kThreshold = 0.10;

/// The threshold of cases of some nanoseconds: their code addresses change with every build, and changed one by 10 %
/// without a change of its source. More processes of one build do not reveal that.
inline constexpr double kThresholdOfCalls = 0.20;

/// The clock of a case: wall time, or the processor time of all threads of the process. The latter is for samples so
/// long that other processes run in between; it excludes waiting.
enum class Clock { kWall, kProcessor };

/// Work that must not become slower.
struct RegressCase {
  std::string name;
  std::string what;  // one line for people
  /// The reference work, for people.
  std::string reference;
  /// Prepares the bursts in `folder`, which belongs to the case. Throws if it cannot.
  Duel (*prepare)(const std::filesystem::path& folder);
  /// Repetitions in a sample, so that both samples take 50 to 500 us if possible.
  int work_times = 1;
  int reference_times = 1;
  double threshold = kThreshold;
  Clock clock = Clock::kWall;
};

/// Returns all cases, in display order.
std::span<const RegressCase> regress_cases();

/// Returns the case of that name.
///
/// Errors: invalid_argument that lists all names.
Result<const RegressCase*> find_case(const std::string& name);

}  // namespace kmux::regress
