// No command may list an option that it ignores: each option must refuse an invalid value.

#include <algorithm>
#include <regex>
#include <set>

#include "integration/cli_session.h"

namespace kmux::test {
namespace {

using Words = std::vector<std::string>;

/// A command with arguments with which it succeeds.
struct Listed {
  const char* name;
  Words words;
};

const std::vector<Listed>& listed() {
  static const auto& all = *new const std::vector<Listed>{
      {"resolve", {"scale/scale.kmux.json", "--target", "c"}},
      {"compile", {"scale/scale.kmux.json", "--target", "c"}},
      {"run", {"scale/scale.kmux.json", "--target", "c"}},
      {"trace", {"scale/scale.kmux.json", "--target", "c"}},
      {"launcher", {"scale/scale.kmux.json", "--target", "c"}},
      {"source", {"scale/scale.kmux.json", "--target", "c"}},
      {"export", {"scale/scale.kmux.json", "--target", "c", "--output", "scale.so"}},
      {"tune", {"scale/scale.kmux.json", "--target", "c", "--time", "0.01"}},
      {"bench",
       {"scale/scale.kmux.json", "--target", "c", "--backends", "cpu", "--time", "0.01", "--repetitions", "1"}},
      {"plugins", {}},
      {"devices", {}},
      {"show", {"scale/scale.kmux.json"}},
      {"fmt", {"copy.kmux"}},
      {"pack", {"scale/scale.kmux.json"}},
      {"new", {"plain.cu"}},
      {"cache", {"ls"}},
  };
  return all;
}

/// Invalid values, by the name of the option.
const std::map<std::string, Words>& wrong() {
  static const auto& values = *new const std::map<std::string, Words>{
      {"backend", {"nonsense"}},
      {"target", {"nonsense"}},
      {"device", {"99"}},
      {"option", {"nonsense=1"}},
      {"flag", {"--nonsense"}},
      {"isolation", {"nonsense"}},
      {"compile-timeout", {"-1"}},
      {"policy", {"nonsense"}},
      {"lock-file", {"none.lock", "--policy", "pinned"}},
      {"include", {"no/such/folder"}},
      {"set", {"nonsense=1"}},
      {"symbol", {"nonsense=1"}},
      {"scalar", {"nonsense=1"}},
      {"constant", {"nonsense=1"}},
      {"in", {"nonsense=zeros"}},
      {"out", {"nonsense=nonsense.npy"}},
      {"check", {"nonsense=nonsense.npy"}},
      {"rtol", {"-1"}},
      {"atol", {"-1"}},
      {"repeat", {"-1"}},
      {"time", {"-1"}},
      {"repetitions", {"0"}},
      {"backends", {"nonsense"}},
      {"baseline", {"nonsense"}},
      {"reference", {"nonsense"}},
      {"axis", {"nonsense=1"}},
      {"from", {"none.json"}},
      {"resume", {"none.json"}},
      {"json", {"no/such/folder/r.json"}},
      {"csv", {"no/such/folder/r.csv"}},
      {"html", {"no/such/folder/r.html"}},
      {"fail-if", {"nonsense"}},
      {"output", {"no/such/folder/out"}},
      {"header", {"no/such/folder/out.h"}},
      {"host-compiler", {"no-such-compiler"}},
      {"lock", {"no/such/folder/lock"}},
      {"jobs", {"-1"}},
      {"kernel", {"nonsense"}},
      {"trace", {"no/such/folder/trace.json"}},
      {"max-mib", {"-1"}},
      {"max-days", {"-1"}},
  };
  return values;
}

/// Returns true if an invalid value is no error of this command.
bool is_taken(const std::string& command, const std::string& option) {
  if (option == "include") return true;  // compilers skip missing folders
  const bool is_of_compiler = option == "option" || option == "flag";
  return is_of_compiler && (command == "resolve" || command == "source");  // these call no compiler
}

/// Returns the options without a value, which other tests cover.
const std::set<std::string>& switches() {
  static const auto& names = *new const std::set<std::string>{
      "again", "check",      "all",      "build", "check-memory", "explain", "force", "help",
      "json",  "keep-going", "no-cache", "time",  "verbose",      "verify",  "whole", "write"};
  return names;
}

/// An option; `has_value` is true if it takes a value.
struct Option {
  std::string name;
  bool has_value;
};

/// Parses lines such as "  -b [ --backend ] NAME   exactly ..." and "  --no-cache   neither ..." of a help.
std::vector<Option> options_in(const std::string& help) {
  static const std::regex line(R"(^ +(?:-\w \[ )?--([a-z-]+)(?: \])?( [A-Z*"=a-z][^ ]*| arg)?)", std::regex::multiline);
  std::vector<Option> options;
  for (auto at = std::sregex_iterator(help.begin(), help.end(), line); at != std::sregex_iterator(); ++at)
    options.push_back({(*at)[1], (*at)[2].matched});
  return options;
}

class CliOptionsTest : public testing::TestWithParam<Listed> {
 protected:
  CliOptionsTest() {
    session_.write("copy.kmux",
                   "kernel copy(x: f32[n], out y: f32[n])\n  sources \"copy.c\"\n  launch copy(x, y, n)\n");
    session_.write("copy.c",
                   "void copy(const float* x, float* y, int n) { for (int i = 0; i < n; ++i) y[i] = x[i]; }\n");
    session_.write("plain.cu",
                   "__global__ void plain(const float* x, float* y) { y[threadIdx.x] = x[threadIdx.x]; }\n");
  }
  /// Runs the command with `more`, whose first word replaces the same option of the command.
  ProcessResult run(const Words& more) const {
    Words words{GetParam().name};
    words.insert(words.end(), GetParam().words.begin(), GetParam().words.end());
    const auto same = more.empty() ? words.end() : std::ranges::find(words, more.front());
    if (same != words.end()) words.erase(same, same + 2);
    words.insert(words.end(), more.begin(), more.end());
    return session_.run(words, {{"KMUX_CACHE_DIR", (session_.folder() / "cache").string()}});
  }
  CliSession session_;
};

TEST_P(CliOptionsTest, AreNotIgnored) {
  const ProcessResult plain = run({});
  ASSERT_EQ(plain.exit_code, 0) << plain.standard_output << plain.standard_error;
  const std::vector<Option> options = options_in(session_.run({GetParam().name, "--help"}).standard_output);
  ASSERT_GE(options.size(), 2U) << "the help has no options that this test can read";
  for (const auto& [name, has_value] : options) {
    if (!has_value) {
      EXPECT_TRUE(switches().contains(name))
          << "--" << name << " of " << GetParam().name << " is new: test what it does";
      continue;
    }
    if (is_taken(GetParam().name, name)) continue;
    const auto value = wrong().find(name);
    ASSERT_NE(value, wrong().end()) << "--" << name << " of " << GetParam().name << " is new: add a wrong value of it";
    Words words{"--" + name};
    words.insert(words.end(), value->second.begin(), value->second.end());
    const ProcessResult refused = run(words);
    EXPECT_NE(refused.exit_code, 0) << GetParam().name << " ignores --" << name << "\n" << refused.standard_output;
  }
}

INSTANTIATE_TEST_SUITE_P(Commands, CliOptionsTest, testing::ValuesIn(listed()),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace kmux::test
