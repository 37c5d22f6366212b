#pragma once

#include <chrono>
#include <vector>

#include "timing.h"

namespace kmux::bench {

/// Returns nanoseconds of one of `calls` calls.
template <class Call>
double nanoseconds_of(int calls, const Call& call) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; ++i) call();
  const std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - begin;
  return elapsed.count() / calls;
}

/// Times of two ways to do the same work, measured alternately.
struct Pairs {
  std::vector<double> ours;
  std::vector<double> theirs;

  double median_difference() const {
    std::vector<double> differences;
    for (std::size_t i = 0; i < ours.size(); ++i) differences.push_back(ours[i] - theirs[i]);
    return median(std::move(differences));
  }
  double ratio() const { return median(ours) / median(theirs); }
};

/// Measures ours, then theirs, `rounds` times.
template <class Ours, class Theirs>
Pairs in_turns(int rounds, const Ours& ours, const Theirs& theirs) {
  Pairs pairs;
  for (int round = 0; round < rounds; ++round) {
    pairs.ours.push_back(ours());
    pairs.theirs.push_back(theirs());
  }
  return pairs;
}

}  // namespace kmux::bench
