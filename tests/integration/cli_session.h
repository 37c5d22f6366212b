#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/process.h"

namespace kmux::test {

// The matchers of its tests.
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// Owns a temporary folder with programs and tensors, in which the kmux command runs.
class CliSession {
 public:
  CliSession();
  ~CliSession();
  CliSession(const CliSession&) = delete;
  CliSession& operator=(const CliSession&) = delete;

  using Variables = std::map<std::string, std::string>;

  /// Runs `kmux WORDS...` in the folder. Only `variables` are set of kmux's and TileLang's variables; the cache is off
  /// unless they name one.
  ProcessResult run(const std::vector<std::string>& words, const Variables& variables = {}) const;
  /// Runs the command with `input` on its standard input.
  ProcessResult pipe(const std::string& input, const std::vector<std::string>& words) const;
  const std::filesystem::path& folder() const { return folder_; }
  void write(const std::string& name, const std::string& content) const;
  /// Returns every file below the folder, so that a test sees files that a command left behind.
  std::vector<std::string> files() const;

 private:
  Command command(const std::vector<std::string>& words, const Variables& variables) const;
  std::filesystem::path folder_;
};

}  // namespace kmux::test
