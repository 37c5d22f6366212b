// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "integration/cli_session.h"

namespace kmux::test {

/// A session that records kernels and replays them.
class CliReplayTest : public testing::Test {
 protected:
  /// Runs y = factor * x of 16 elements, recorded.
  void record(const std::string& data = "full", const std::string& factor = "2") {
    record_run({"run", "scale/scale.kmux.json", "--target", "c", "--in", "x=random:1", "--symbol", "n=16", "--scalar",
                "factor=" + factor, "--repeat", "2", "--time"},
               data);
  }
  /// Runs y = 3 * x + 5 of 16 elements, with the 3 set as a constant, recorded.
  void record_constants(const std::string& data) {
    record_run(
        {"run", "shifted.cu", "--backend", "cpu", "--in", "x=random:1", "--symbol", "n=16", "--constant", "scale=3"},
        data);
  }
  void record_run(const std::vector<std::string>& words, const std::string& data) {
    const ProcessResult run = session_.run(words, {{"KMUX_RECORD", folder().string()}, {"KMUX_RECORD_DATA", data}});
    ASSERT_EQ(run.exit_code, 0) << run.standard_error;
    for (const auto& entry : std::filesystem::directory_iterator(folder())) process_ = entry.path();
  }
  ProcessResult replay(const std::vector<std::string>& more = {}) {
    std::vector<std::string> command = {"replay", folder().string()};
    command.insert(command.end(), more.begin(), more.end());
    return session_.run(command);
  }
  std::string calls() const {
    std::ostringstream text;
    text << std::ifstream(process_ / "calls.jsonl").rdbuf();
    return text.str();
  }
  void write_calls(const std::string& text) const { std::ofstream(process_ / "calls.jsonl") << text; }
  std::filesystem::path folder() const { return session_.folder() / "report"; }

  /// Returns the digest after the last `key` of the calls.
  std::string digest_of(const std::string& key) const {
    const std::string text = calls();
    return text.substr(text.rfind(key) + key.size(), 64);
  }

  /// Returns the digest of the content of buffer `name` before the last call.
  std::string before_of(const std::string& name) const {
    const std::string text = calls();
    return text.substr(text.rfind("\",\"name\":\"" + name + "\"") - 64, 64);
  }

  CliSession session_;
  std::filesystem::path process_;
};

}  // namespace kmux::test
