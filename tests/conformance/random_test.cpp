// Differential: random bodies against the reference evaluator. A failing seed is reduced and written to disk.

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "kmux/dispatch_json.h"
#include "kmux/plugin/file_io.h"

#include "progress.h"
#include "random_body.h"
#include "subject.h"

namespace kmux::conformance {
namespace {

constexpr std::uint32_t kBodies = 24, kRehearsed = 3;

/// Returns the number of bodies; KMUX_SEEDS may set it, as high as time allows.
std::uint32_t body_count() {
  if (Subject::current().uses_cache()) return kRehearsed;
  const char* const asked = std::getenv("KMUX_SEEDS");
  return asked != nullptr ? static_cast<std::uint32_t>(std::atoi(asked)) : kBodies;
}

/// Returns the first difference from the evaluator, or the error of a failed call; empty if the results are equal.
std::string difference(const RandomBody& body) {
  auto& subject = Subject::current();
  const auto kernel = subject.compile(body.program());
  if (!kernel) return kernel.error().explain();
  if (subject.rehearses()) return "";
  for (const auto& [n, m] : {std::pair{3, 5}, {0, -2}, {-7, 100}, {64, 1}}) {
    const auto expected = body.expected(n, m);
    if (!expected) continue;
    const Tensor log = subject.zeros({RandomBody::kLogged}, dtype::kInt64);
    const Status launched = kernel->launch({n, m, log});
    if (!launched) return launched.error().explain();
    const auto actual = subject.download<std::int64_t>(log);
    for (std::int64_t i = 0; i <= (*expected)[0]; ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (actual[at] == (*expected)[at]) continue;
      return "n = " + std::to_string(n) + ", m = " + std::to_string(m) + ": log[" + std::to_string(i) + "] is " +
             std::to_string(actual[at]) + " instead of " + std::to_string((*expected)[at]);
    }
  }
  return "";
}

/// Removes steps while the body still fails. Returns a failing body in which no step can be removed.
RandomBody shrunk(RandomBody body) {
  for (bool is_smaller = true; is_smaller;) {
    is_smaller = false;
    for (const RandomBody& less : body.smaller()) {
      if (difference(less).empty()) continue;
      body = less;
      is_smaller = true;
      break;
    }
  }
  return body;
}

/// Writes the program to a file for `kmux run` and returns its path.
std::string written(const RandomBody& body, std::uint32_t seed) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() /
      ("kmux-conformance-" + Subject::current().name() + "-" + std::to_string(seed) + ".json");
  return write_file(file, to_json(body.program())) ? file.string() : "nowhere";
}

TEST(Differential, RandomBodiesDoWhatTheEvaluatorSays) {
  Progress progress("random bodies", body_count(), [](const std::string& line) {
    if (!Subject::current().is_quiet()) std::fputs(line.c_str(), stderr);
  });
  for (std::uint32_t seed = 0; seed < body_count(); ++seed) {
    progress.tell(seed);
    const RandomBody body = RandomBody::of(seed);
    if (difference(body).empty()) continue;
    const RandomBody small = shrunk(body);
    ADD_FAILURE() << "seed " << seed << ": " << difference(small) << "\nThe program is in " << written(small, seed)
                  << ":\n"
                  << to_json(small.program());
    return;
  }
}

}  // namespace
}  // namespace kmux::conformance
