// Counts the ways to name a kernel that fail: kernel_name_forms [--device] [--backend NAME] [--jobs N]. A line for each failure
// and each way that is done, then the bar. A way is a backend's own; forms are compiled N at once, by default one a processor.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "kmux/plugin/private_folder.h"

#include "name_forms.h"

using namespace kmux::strangers;  // NOLINT(google-build-using-namespace): this is its program

namespace {

struct Options {
  Devices devices = Devices::kNone;
  std::string backend;  // empty: all
  unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
};

std::optional<Options> parse(int count, char** arguments) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string word = arguments[i];
    const bool has_value = i + 1 < count;
    if (word == "--device") {
      options.devices = Devices::kReal;
    } else if (word == "--backend" && has_value) {
      options.backend = arguments[++i];
    } else if (word == "--jobs" && has_value && std::atoi(arguments[i + 1]) > 0) {
      options.jobs = static_cast<unsigned>(std::atoi(arguments[++i]));
    } else {
      return std::nullopt;
    }
  }
  return options;
}

struct Counts {
  int failures = 0;
  int checks = 0;
};

// Each line is seen at once, so that one who ends this has what was done.
void check_way(kmux::Runtime& runtime, const NameWay& way, const std::vector<NameForm>& forms, unsigned jobs,
               Counts& counts) {
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<kmux::Status> results = check_all(runtime, way, forms, jobs);
  int failures = 0;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i].ok()) continue;
    ++failures;
    std::printf("failed: %s, %s: %s\n", forms[i].name.c_str(), way.name.c_str(), results[i].error().message.c_str());
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::printf("done: %s: %d of %zu forms failed, %.1f s\n", way.name.c_str(), failures, results.size(), took.count());
  std::fflush(stdout);
  counts.failures += failures;
  counts.checks += static_cast<int>(results.size());
}

}  // namespace

int main(int count, char** arguments) {
  const auto options = parse(count, arguments);
  if (!options) {
    std::fputs("kernel_name_forms [--device] [--backend NAME] [--jobs N]\n", stderr);
    return 2;
  }
  const auto forms = name_forms();
  const auto folder = kmux::PrivateFolder::create("kmux-names");
  const auto runtime = folder ? open_runtime(folder->path()) : folder.error();
  if (!forms || !runtime) {
    std::fprintf(stderr, "%s\n", (forms ? runtime.error() : forms.error()).explain().c_str());
    return 1;
  }
  Counts counts;
  for (const NameWay& way : name_ways(options->devices, true)) {
    if (!options->backend.empty() && way.backend != options->backend) continue;
    if (const auto reason = why_not(**runtime, way.backend, way.runs)) {
      std::printf("not here: %s (%s)\n", way.name.c_str(), reason->c_str());
      continue;
    }
    check_way(**runtime, way, *forms, options->jobs, counts);
  }
  std::printf("%zu forms, %d checks\nkernel_name_forms_failed %d\n", forms->size(), counts.checks, counts.failures);
  return counts.failures == 0 && counts.checks > 0 ? 0 : 1;
}
