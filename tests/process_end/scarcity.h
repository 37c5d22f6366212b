#pragma once

#include <filesystem>
#include <string>

namespace kmux {

/// What came of processes that could not have one thread, child, descriptor or piece of memory.
struct ScarcityReport {
  int calls = 0;    // of that kind that one process makes
  int failed = 0;   // of them, how many were made to fail, each in a process of its own
  int refused = 0;  // of these, how many processes got an error, and not what they wanted
  int died = 0;     // by a signal, or with a wrong result
  int hung = 0;     // did not end in time
  std::string first_problem = {};
};

/// ending_application compiling, calling and ending from an empty cache, with scarce.cpp in it.
struct Scarcity {
  std::filesystem::path folder;
  std::string kind;                // "thread", "process", "descriptor" or "memory"
  std::string engine = "clang";    // of backend cpu
  std::string isolation = "none";  // or "process"

  /// Has each call of that kind fail, in a process each; `most` of them, evenly spread, if there are more. Throws if the
  /// application does not work at all.
  ScarcityReport run(int most) const;
};

}  // namespace kmux
