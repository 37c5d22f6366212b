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

/// Runs one case in a process of its own: true if it passed.
inline bool passes_apart(std::string program, std::string_view name) {
  std::string filter = "--gtest_filter=" + std::string(name);
  char* words[] = {program.data(), filter.data(), nullptr};
  pid_t child = 0;
  int status = 0;
  std::fflush(stdout);
  if (posix_spawn(&child, "/proc/self/exe", nullptr, nullptr, words, environ) != 0) return false;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// Runs each case of a filter ("A.B:C.D:") in a process of its own: cases that load libraries of one name, which need not be
/// gone when they are closed. They have a folder for what one makes for all (shared_cache.h). Gives the exit code.
inline int run_apart(const std::string& program, std::string_view filter) {
  const TempFolder folder;
  setenv("TEST_FOLDER_OF_RUN", folder.path().c_str(), /*overwrite=*/1);
  int failed = 0;
  while (!filter.empty()) {
    const std::size_t end = filter.find(':');
    if (!passes_apart(program, filter.substr(0, end))) ++failed;
    filter.remove_prefix(end == std::string_view::npos ? filter.size() : end + 1);
  }
  std::printf("%d cases failed, each in a process of its own\n", failed);
  return failed == 0 ? 0 : 1;
}

}  // namespace kmux
