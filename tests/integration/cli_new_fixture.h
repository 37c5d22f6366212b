// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <iterator>

#include "kmux/npy.h"

#include "integration/cli_session.h"

namespace kmux::test {

/// Runs `kmux new` on sources, and what it writes.
class CliNewTest : public testing::Test {
 protected:
  static constexpr int kBadSource = 3;
  static constexpr int kDoesNotCompile = 5;

  std::string content_of(const std::string& name) const {
    std::ifstream file(session_.folder() / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  /// Returns the output for a file with `content`.
  std::string text_of(const std::string& name, const std::string& content) const {
    session_.write(name, content);
    const ProcessResult result = session_.run({"new", name});
    EXPECT_EQ(result.exit_code, 0) << result.standard_error;
    EXPECT_EQ(content_of(name), content);
    return result.standard_output;
  }
  /// Returns the error for a file with `content`.
  std::string refusal_of(const std::string& name, const std::string& content, int exit_code = kBadSource) const {
    session_.write(name, content);
    const ProcessResult result = session_.run({"new", name, "--write"});
    EXPECT_EQ(result.exit_code, exit_code) << result.standard_output;
    EXPECT_EQ(content_of(name), content);
    return result.standard_error;
  }
  /// Writes the text, checks that it is canonical, and runs it.
  ProcessResult run_of(const std::string& name, const std::string& content,
                       const std::vector<std::string>& more = {}) const {
    session_.write(name, content);
    EXPECT_EQ(session_.run({"new", name, "--write"}).exit_code, 0);
    EXPECT_EQ(session_.run({"fmt", "--check", name}).exit_code, 0);
    std::vector<std::string> words = {"run", name, "--backend", "cpu"};
    words.insert(words.end(), more.begin(), more.end());
    return session_.run(words);
  }
  CliSession session_;
};

}  // namespace kmux::test
