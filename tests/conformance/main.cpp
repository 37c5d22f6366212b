// kmux-conformance --plugin NAME --plugin-path FOLDER [--isolation process] [--rehearse] [--cached] [gtest flags]
//
// Exit code 77: the plugin cannot run on this machine (a skip), unless
// KMUX_REQUIRE_BACKENDS names it. --rehearse, over a driver that computes nothing: what counts is that every program compiles.
// --cached, where the compiler is not: leaves out programs that have no result which a cache could hold.

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "kmux/plugin/process.h"

#include "../needs.h"
#include "exemptions.h"
#include "subject.h"

namespace kmux::conformance {
namespace {

constexpr int kSkipped = 77;

struct Arguments {
  std::string plugin;
  std::string folder;
  std::string isolation = "none";
  bool inside = false; // the child process that runs one expected failure
  bool rehearses = false;
  bool is_cached = false;
};

Arguments parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--inside") arguments.inside = true;
    if (word == "--rehearse") arguments.rehearses = true;
    if (word == "--cached") arguments.is_cached = true;
    if (i + 1 == argc) break;
    if (word == "--plugin") arguments.plugin = argv[i + 1];
    if (word == "--plugin-path") arguments.folder = argv[i + 1];
    if (word == "--isolation") arguments.isolation = argv[i + 1];
  }
  return arguments;
}

bool required(const std::string& plugin) {
  const char* list = std::getenv("KMUX_REQUIRE_BACKENDS");
  std::istringstream words(list ? list : "");
  for (std::string word; std::getline(words, word, ',');) {
    if (word == plugin) return true;
  }
  return false;
}

int without_device(const std::string& plugin, const Error& error) {
  std::printf("conformance of \"%s\" cannot run here: %s\n", plugin.c_str(), error.explain().c_str());
  if (error.code != ErrorCode::kUnavailable || required(plugin)) return 1;
  std::puts(needs(device_of(plugin), error.message).c_str());
  return kSkipped;
}

/// Cases that this run leaves out: the unsupported ones, and those run apart as
/// expected failures.
std::string exclusions(const Exemptions& exemptions) {
  std::string filter = "*";
  for (const auto* entries : {&exemptions.unsupported, &exemptions.expected_failures}) {
    for (const auto& entry : *entries) filter += (filter == "*" ? "-" : ":") + entry.pattern;
  }
  return filter;
}

/// Runs each expected failure alone; one that passes is an error, so that the
/// list does not rot.
int check_expected_failures(const Exemptions& exemptions, const Arguments& arguments) {
  int failures = 0;
  for (const auto& entry : exemptions.expected_failures) {
    const Command command{{"/proc/self/exe", "--plugin", arguments.plugin, "--plugin-path", arguments.folder,
                           "--isolation", arguments.isolation, "--inside", "--gtest_filter=" + entry.pattern}};
    const auto result = run(command);
    if (result && result->exit_code != 0) continue;
    std::printf(
        "FAILED: \"%s\" is listed as an expected failure (%s) but "
        "passes. Remove the line.\n",
        entry.pattern.c_str(), entry.reason.c_str());
    ++failures;
  }
  return failures;
}

void print_exemptions(const Exemptions& exemptions) {
  for (const auto& entry : exemptions.unsupported) {
    std::printf("unsupported: %s (%s)\n", entry.pattern.c_str(), entry.reason.c_str());
  }
  std::printf("%zu unsupported, %zu expected failures\n", exemptions.unsupported.size(),
              exemptions.expected_failures.size());
}

/// Results of a driver that computes nothing are wrong; programs that are meant to be are those of group Errors.
int rehearse() {
  [[maybe_unused]] const int results = RUN_ALL_TESTS();
  int failures = 0;
  for (const Subject::Refusal& refusal : Subject::current().refusals()) {
    if (refusal.error.code == ErrorCode::kUnavailable) {
      std::puts(needs(compiler_of(Subject::current().name()), refusal.error.message).c_str());
      return kSkipped;
    }
    if (refusal.test.starts_with("Errors.")) continue;
    std::printf("FAILED: %s does not compile: %s\n", refusal.test.c_str(), refusal.error.explain().c_str());
    ++failures;
  }
  std::printf("rehearsed: %d cases, %d programs do not compile\n",
              testing::UnitTest::GetInstance()->test_to_run_count(), failures);
  return failures == 0 ? 0 : 1;
}

Exemptions without_compiler(Exemptions exemptions) {
  for (const char* pattern : {"Errors.CompilerLogHasTheUsersLine", "Errors.MissingKernelIsNamed"}) {
    exemptions.unsupported.push_back({pattern, "no compiler is here"});
  }
  return exemptions;
}

int run_all(const Arguments& arguments, const Exemptions& exemptions) {
  if (arguments.inside) return RUN_ALL_TESTS();
  if (GTEST_FLAG_GET(filter) == "*") GTEST_FLAG_SET(filter, "*" + exclusions(exemptions));
  if (arguments.rehearses) return rehearse();
  const int result = RUN_ALL_TESTS();
  print_exemptions(exemptions);
  if (testing::UnitTest::GetInstance()->test_to_run_count() == 0) {
    std::puts("FAILED: no case was run. Correct the filter, or exempt less.");
    return 1;
  }
  return result != 0 || check_expected_failures(exemptions, arguments) != 0 ? 1 : 0;
}

} // namespace
} // namespace kmux::conformance

int main(int argc, char** argv) {
  using namespace kmux::conformance;
  testing::InitGoogleTest(&argc, argv);
  const Arguments arguments = parse(argc, argv);
  if (arguments.plugin.empty() || arguments.folder.empty()) {
    std::fputs(
        "usage: kmux-conformance --plugin NAME --plugin-path FOLDER "
        "[--isolation process] [--rehearse] [--cached] [gtest flags]\n",
        stderr);
    return 2;
  }
  const bool uses_cache = arguments.rehearses || arguments.is_cached;
  if (auto status = Subject::choose(arguments.plugin, arguments.folder, arguments.isolation, uses_cache); !status) {
    return without_device(arguments.plugin, status.error());
  }
  const auto exemptions =
      read_exemptions(Subject::current().folder() / ("kmux_" + arguments.plugin + ".conformance.txt"));
  if (!exemptions) {
    std::fputs((exemptions.error().explain() + "\n").c_str(), stderr);
    return 1;
  }
  return run_all(arguments, arguments.is_cached ? without_compiler(*exemptions) : *exemptions);
}
