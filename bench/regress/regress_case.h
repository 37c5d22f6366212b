#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "regress/duel.h"

namespace kmux::regress {

/// How much slower a case may become unless it says otherwise. Units: parts of its ratio.
inline constexpr double kThreshold = 0.10;

/// Of what takes some nanoseconds: where its code comes to lie changes with every build, and was 10 % of one without a
/// line of it changed. No number of processes of one build shows that.
inline constexpr double kThresholdOfCalls = 0.20;

/// What time is: on the wall, or what all threads of the process had of the processors. The latter is for samples so
/// long that others run in between; it does not see waiting.
enum class Clock { kWall, kProcessor };

/// Something that must not become slower.
struct RegressCase {
  std::string name;
  std::string what;  // a line for people
  /// What it is measured against, for people.
  std::string reference;
  /// Makes all that the bursts need; `folder` is its own. Throws if it cannot.
  Duel (*prepare)(const std::filesystem::path& folder);
  /// Times a sample, so that both samples take 50 to 500 us where that can be.
  int work_times = 1;
  int reference_times = 1;
  double threshold = kThreshold;
  Clock clock = Clock::kWall;
};

/// All of them, in the order in which they are shown.
std::span<const RegressCase> regress_cases();

/// The case of that name.
///
/// Errors: invalid_argument that lists all names.
Result<const RegressCase*> find_case(const std::string& name);

}  // namespace kmux::regress
