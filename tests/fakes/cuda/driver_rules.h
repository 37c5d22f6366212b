#pragma once

#include <functional>
#include <string>
#include <vector>

#include "rules/driver.h"

/// What we hold for true of a CUDA driver, as scenarios that any libcuda can be held against: the fake one in each run of
/// the tests, a real one by the program `driver_rules`. Needs no headers of CUDA and links no driver.
namespace kmux::driver_rules {

class Scene;

/// One scenario and what it must come to.
struct Rule {
  std::string name;
  std::string sentence;
  std::function<std::string(Scene&)> outcome;  // result codes and what was read: "alloc 900, end 901"
  std::string expected;
  /// It shows work that overlaps: a driver that does everything at once has another outcome, and one that picks an order
  /// has this one among others.
  bool needs_overlap = false;
};

const std::vector<Rule>& rules();

/// Plays a rule in a fresh state and cleans up after it.
///
/// Errors: the outcome then ends with "; context broken by N", and the context was reset.
std::string outcome_of(const Driver& driver, const Rule& rule);

}  // namespace kmux::driver_rules
