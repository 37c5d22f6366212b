#pragma once

#include <filesystem>
#include <string>

namespace kmux {

/// The results of processes that were denied one thread, child, descriptor or allocation.
struct ScarcityReport {
  int calls = 0;    // of that kind in one process
  int failed = 0;   // of them, the number made to fail, each in a separate process
  int refused = 0;  // of these, the processes that got an error instead of a result
  int died = 0;     // by a signal, or with a wrong result
  int hung = 0;     // did not end in time
  std::string first_problem = {};
};

/// Runs ending_application, which compiles, calls and ends from an empty cache, with scarce.cpp preloaded.
struct Scarcity {
  std::filesystem::path folder;
  std::string kind;                // "thread", "process", "descriptor" or "memory"
  std::string engine = "clang";    // of backend cpu
  std::string isolation = "none";  // or "process"

  /// Makes each call of that kind fail, each in a separate process; if there are more than `most`, only that many,
  /// evenly spread. Throws if the application fails even without a fault.
  ScarcityReport run(int most) const;
};

}  // namespace kmux
