#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/process.h"

namespace kmux::test {

// What its tests match with.
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// A folder of its own with programs and tensors, in which the kmux command runs.
class CliSession {
 public:
  CliSession();
  ~CliSession();
  CliSession(const CliSession&) = delete;
  CliSession& operator=(const CliSession&) = delete;

  using Variables = std::map<std::string, std::string>;

  /// Runs `kmux WORDS...` in the folder, with no variable of kmux or TileLang set but `variables`, and without a cache
  /// unless they name one.
  ProcessResult run(const std::vector<std::string>& words, const Variables& variables = {}) const;
  /// The same, with `input` on its standard input.
  ProcessResult pipe(const std::string& input, const std::vector<std::string>& words) const;
  const std::filesystem::path& folder() const { return folder_; }
  void write(const std::string& name, const std::string& content) const;
  /// Every file below the folder, so that a test sees what a command left behind.
  std::vector<std::string> files() const;

 private:
  Command command(const std::vector<std::string>& words, const Variables& variables) const;
  std::filesystem::path folder_;
};

}  // namespace kmux::test
