#pragma once

#include <cstdio>
#include <cstdlib>
#include <spawn.h>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

#include "temp_folder.h"

namespace kmux {

constexpr int kAllSkipped = 77;  // exit code of a test program whose cases all skipped; ctest counts it as a skip

/// Runs one case in a separate process. Returns its exit code: 0 if it passed, kAllSkipped if it skipped.
inline int run_case_apart(std::string program, std::string_view name) {
  std::string filter = "--gtest_filter=" + std::string(name);
  char* words[] = {program.data(), filter.data(), nullptr};
  pid_t child = 0;
  int status = 0;
  std::fflush(stdout);
  if (posix_spawn(&child, "/proc/self/exe", nullptr, nullptr, words, environ) != 0) return 1;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/// Runs each case of a filter ("A.B:C.D:") in a separate process: such cases load libraries of one name, which may stay
/// loaded after they are closed. The cases share a folder (shared_cache.h).
/// Returns the exit code: kAllSkipped if every case skipped, 1 if one failed.
inline int run_apart(const std::string& program, std::string_view filter) {
  const TempFolder folder;
  setenv("TEST_FOLDER_OF_RUN", folder.path().c_str(), /*overwrite=*/1);
  int failed = 0;
  bool all_skipped = true;
  while (!filter.empty()) {
    const std::size_t end = filter.find(':');
    const int code = run_case_apart(program, filter.substr(0, end));
    failed += code != 0 && code != kAllSkipped;
    all_skipped = all_skipped && code == kAllSkipped;
    filter.remove_prefix(end == std::string_view::npos ? filter.size() : end + 1);
  }
  std::printf("%d cases failed, each in a process of its own\n", failed);
  if (failed != 0) return 1;
  return all_skipped ? kAllSkipped : 0;
}

}  // namespace kmux
