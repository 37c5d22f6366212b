#pragma once

#include <functional>
#include <string>
#include <vector>

#include "rules/driver.h"

/// The rules that kmux assumes of a CUDA driver, as scenarios that check any libcuda. Each test run checks the fake
/// one; the program `driver_rules` checks a real one. Needs no CUDA headers and links no driver.
namespace kmux::driver_rules {

class Scene;

/// A scenario and its expected outcome.
struct Rule {
  std::string name;
  std::string sentence;
  std::function<std::string(Scene&)> outcome;  // result codes and values read: "alloc 900, end 901"
  std::string expected;
  /// True if the rule depends on overlapping work. A driver that executes everything at once has another outcome; one
  /// that picks an order has this outcome among others.
  bool needs_overlap = false;
};

const std::vector<Rule>& rules();

/// Plays a rule in a fresh state and releases its objects. Returns its outcome.
///
/// Errors: the outcome then ends with "; context broken by N", and the context was reset.
std::string outcome_of(const Driver& driver, const Rule& rule);

}  // namespace kmux::driver_rules
