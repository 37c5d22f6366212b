// kmux-conformance --plugin NAME: the suite that tests every backend, linked to none. `--help` has the options.
//
// Exit code 77: the plugin cannot run on this machine (a skip), unless --require-device is given or
// KMUX_REQUIRE_BACKENDS names it.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fnmatch.h>
#include <memory>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "kmux/plugin/file_io.h"
#include "kmux/plugin/process.h"
#include "kmux/plugin/word_list.h"

#include "../needs.h"
#include "command_line.h"
#include "exemptions.h"
#include "junit.h"
#include "programs.h"
#include "report.h"
#include "subject.h"

namespace kmux::conformance {
namespace {

constexpr int kSkipped = 77;

bool required(const std::string& plugin) {
  const char* list = std::getenv("KMUX_REQUIRE_BACKENDS");
  std::istringstream words(list ? list : "");
  for (std::string word; std::getline(words, word, ',');) {
    if (word == plugin) return true;
  }
  return false;
}

int without_device(const CommandLine& line, const Error& error) {
  std::FILE* const out = line.json ? stderr : stdout;
  std::fprintf(out, "conformance of \"%s\" cannot run here: %s\n", line.plugin.c_str(), error.explain().c_str());
  if (error.code != ErrorCode::kUnavailable || line.needs_device || required(line.plugin)) return 1;
  std::fprintf(out, "%s\n", needs(device_of(line.plugin), error.message).c_str());
  return kSkipped;
}

/// Returns a filter of the cases that this run excludes: the unsupported ones, and the expected failures, which run
/// separately.
std::string exclusions(const Exemptions& exemptions) {
  std::string filter;
  for (const auto* entries : {&exemptions.unsupported, &exemptions.expected_failures}) {
    for (const auto& entry : *entries) filter += (filter.empty() ? "-" : ":") + entry.pattern;
  }
  return filter;
}

/// Runs each expected failure alone and returns those that pass. A pass is an error, so the list must stay up to date.
std::vector<std::string> unexpected_passes(const Exemptions& exemptions, const CommandLine& line) {
  std::vector<std::string> passes;
  for (const auto& entry : exemptions.expected_failures) {
    Command command{{"/proc/self/exe", "--plugin", line.plugin, "--isolation", line.isolation, "--device",
                     std::to_string(line.device), "--inside", "--gtest_filter=" + entry.pattern}};
    if (!line.folder.empty()) command.argv.insert(command.argv.end(), {"--plugin-path", line.folder});
    const auto result = run(command);
    if (!result || result->exit_code == 0) passes.push_back(entry.pattern);
  }
  return passes;
}

void print_passes(const std::vector<std::string>& passes) {
  for (const std::string& pattern : passes) {
    std::printf("FAILED: \"%s\" is listed as an expected failure but passes. Remove the line.\n", pattern.c_str());
  }
}

std::vector<std::string> groups() {
  std::vector<std::string> names;
  const testing::UnitTest& unit = *testing::UnitTest::GetInstance();
  for (int i = 0; i < unit.total_test_suite_count(); ++i) {
    const std::string whole = unit.GetTestSuite(i)->name();
    const std::string name = whole.substr(0, whole.find('/'));  // "Arguments/Scalars": a suite with parameters
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

std::vector<std::string> names_of_cases() {
  std::vector<std::string> names;
  const testing::UnitTest& unit = *testing::UnitTest::GetInstance();
  for (int i = 0; i < unit.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *unit.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j)
      names.push_back(std::string(suite.name()) + "." + suite.GetTestInfo(j)->name());
  }
  return names;
}

/// Returns true if one of the patterns of a filter, "A.*:B/*", matches the name of a case.
bool matches(const std::string& filter, const std::string& name) {
  std::istringstream patterns(filter);
  for (std::string pattern; std::getline(patterns, pattern, ':');) {
    if (::fnmatch(pattern.c_str(), name.c_str(), 0) == 0) return true;
  }
  return false;
}

/// Returns the number of cases of `chosen`, a filter, that a line of `entries` matches.
int count_cases(const std::vector<Exemptions::Entry>& entries, const std::string& chosen) {
  int count = 0;
  for (const std::string& name : names_of_cases()) {
    const auto is_it = [&](const Exemptions::Entry& entry) { return matches(entry.pattern, name); };
    if (matches(chosen, name) && std::ranges::any_of(entries, is_it)) ++count;
  }
  return count;
}

/// Prints the exemptions, and the numbers of their cases beside those that ran.
void print_exemptions(const Exemptions& exemptions, const std::string& chosen) {
  for (const auto& entry : exemptions.unsupported) {
    std::printf("unsupported: %s (%s)\n", entry.pattern.c_str(), entry.reason.c_str());
  }
  std::printf("cases: %d run, %d unsupported, %d expected failures\n",
              testing::UnitTest::GetInstance()->test_to_run_count(), count_cases(exemptions.unsupported, chosen),
              count_cases(exemptions.expected_failures, chosen));
}

/// Results of a driver that computes nothing are wrong, so only compilation counts. Only the groups Errors and Features
/// may refuse programs.
int rehearse() {
  [[maybe_unused]] const int results = RUN_ALL_TESTS();
  int failures = 0;
  for (const Subject::Refusal& refusal : Subject::current().refusals()) {
    if (refusal.error.code == ErrorCode::kUnavailable) {
      std::puts(needs(compiler_of(Subject::current().name()), refusal.error.message).c_str());
      return kSkipped;
    }
    const bool may_refuse = refusal.test.starts_with("Features/") && refusal.error.code == ErrorCode::kUnsupported;
    if (may_refuse || refusal.test.starts_with("Errors.")) continue;
    std::printf("FAILED: %s does not compile: %s\n", refusal.test.c_str(), refusal.error.explain().c_str());
    ++failures;
  }
  std::printf("rehearsed: %d cases, %d programs do not compile\n",
              testing::UnitTest::GetInstance()->test_to_run_count(), failures);
  return failures == 0 ? 0 : 1;
}

Exemptions without_compiler(Exemptions exemptions) {
  for (const char* pattern :
       {"Cache.*", "Isolation.*", "Errors.CompilerLogHasTheUsersLine", "Errors.MissingKernelIsNamed"}) {
    exemptions.unsupported.push_back({pattern, "no compiler is here"});
  }
  return exemptions;
}

/// Replaces GoogleTest's output by one JSON document.
const CaseListener& listen_for_json() {
  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  delete listeners.Release(listeners.default_result_printer());
  auto* const listener = new CaseListener;  // owned by the listeners
  listeners.Append(listener);
  return *listener;
}

int run_all(const CommandLine& line, const Exemptions& exemptions) {
  const CaseListener* const listener = line.json ? &listen_for_json() : nullptr;
  const int result = RUN_ALL_TESTS();
  const std::vector<std::string> passes = unexpected_passes(exemptions, line);
  if (listener != nullptr) {
    const std::string device = Subject::current().device().to_string();
    std::puts(dump(report_of(line.plugin, device, listener->cases(), exemptions, passes), 2).c_str());
  } else {
    print_exemptions(exemptions, filter_of(line.tags, groups()).value_or("*"));
    print_passes(passes);
  }
  if (testing::UnitTest::GetInstance()->test_to_run_count() == 0) {
    std::fputs("FAILED: no case was run. Correct the filter, or exempt less.\n", stderr);
    return 1;
  }
  return result != 0 || !passes.empty() ? 1 : 0;
}

/// Selects the cases by tags or by GoogleTest's own flag, without the exempted cases.
Status choose_cases(const CommandLine& line, const Exemptions& exemptions) {
  if (line.inside) return Ok{};
  if (GTEST_FLAG_GET(filter) != "*") return Ok{};
  KMUX_ASSIGN(const std::string filter, filter_of(line.tags, groups()));
  GTEST_FLAG_SET(filter, filter + exclusions(exemptions));
  return Ok{};
}

Result<Exemptions> exemptions_of(const CommandLine& line) {
  KMUX_ASSIGN(Exemptions read,
              read_exemptions(Subject::current().folder() / ("kmux_" + line.plugin + ".conformance.txt")));
  return line.is_cached ? without_compiler(std::move(read)) : std::move(read);
}

/// Checks that the suite has kernels in a dialect of the plugin. One error here is more useful than one per case.
Status check_dialects() {
  const Subject& subject = Subject::current();
  std::vector<std::string> known = own_dialects();
  for (const DialectForm& form : subject.dialects()) known.push_back(form.name);
  const std::vector<std::string>& taken = subject.plugin()->manifest().dialects;
  if (std::ranges::find_first_of(taken, known) != taken.end()) return Ok{};
  return make_error(
      ErrorCode::kUnsupported,
      "no case can run: the suite has no kernels in a dialect of plugin \"" + subject.name() + "\" (it takes " +
          listed(taken) + "; there are " + listed(known) +
          "). Say in conformance.txt how they are written in it: \"dialect NAME FILE\" and the lines below it "
          "(docs/plugin-abi.md, Conformance).");
}

int fail(const Error& error, int code) {
  std::fputs(("kmux-conformance: error: " + error.explain() + "\n").c_str(), stderr);
  return code;
}

/// Runs the cases. Writes the report of --junit by kmux's own writer: GoogleTest's ends the process where the file
/// cannot be written, or is beyond the limit on its size.
int run_cases(const CommandLine& line, const Exemptions& exemptions) {
  const int code = line.inside ? RUN_ALL_TESTS() : line.rehearses ? rehearse() : run_all(line, exemptions);
  if (line.junit.empty()) return code;
  const Status written = write_file(line.junit, junit_report());
  return written ? code : fail(written.error(), 1);
}

int run_suite(const CommandLine& line) {
  const bool uses_cache = line.rehearses || line.is_cached;
  const Status chosen =
      Subject::choose({line.plugin, line.folder, line.isolation, line.device, line.rehearses, uses_cache});
  if (!chosen) return without_device(line, chosen.error());
  const Result<Exemptions> exemptions = exemptions_of(line);
  if (!exemptions) return fail(exemptions.error(), 1);
  Subject::current().set_dialects(exemptions->dialects);
  if (line.json) Subject::current().be_quiet();
  if (const Status known = check_dialects(); !known) return fail(known.error(), 1);
  if (const Status cases = choose_cases(line, *exemptions); !cases) return fail(cases.error(), 2);
  return run_cases(line, *exemptions);
}

/// GoogleTest must get its flags before any other call.
void init_gtest(const char* program, std::vector<std::string> flags) {
  std::vector<char*> words = {const_cast<char*>(program)};
  for (std::string& flag : flags) words.push_back(flag.data());
  int count = static_cast<int>(words.size());
  words.push_back(nullptr);  // GoogleTest moves it, too
  testing::InitGoogleTest(&count, words.data());
}

}  // namespace
}  // namespace kmux::conformance

int main(int argc, char** argv) {
  using namespace kmux::conformance;
  std::vector<std::string> flags;
  const auto line = read_command_line({argv + 1, argv + argc}, flags);
  if (!line) return fail(line.error(), 2);
  if (!*line) return 0;
  init_gtest(argv[0], std::move(flags));
  const int code = run_suite(**line);
  Subject::end();
  return code;
}
