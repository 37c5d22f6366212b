#include "bar_program.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <stdexcept>

#include "kmux/plugin/process.h"

#include "timing.h"

namespace kmux::bench {
namespace {

constexpr const char* kOnce = "--once";

double measure_in_a_process(const Bar& bar, const std::vector<std::string>& for_processes) {
  std::vector<std::string> command = {std::filesystem::read_symlink("/proc/self/exe"), kOnce};
  command.insert(command.end(), for_processes.begin(), for_processes.end());
  command.push_back(bar.name);
  const ProcessResult result = run({.argv = std::move(command)}).value();
  const std::string prefix = "bar " + bar.name + " ";
  if (!result.standard_output.starts_with(prefix)) throw std::runtime_error(result.standard_error);
  return std::stod(result.standard_output.substr(prefix.size()));
}

double median_of_processes(const Bar& bar, const std::vector<std::string>& for_processes) {
  std::vector<double> values;
  for (int i = 0; i < bar.processes; ++i) values.push_back(measure_in_a_process(bar, for_processes));
  const auto [least, most] = std::ranges::minmax(values);
  std::fprintf(stderr, "  %.0f to %.0f %s in %d processes\n", least, most, bar.unit, bar.processes);
  return median(std::move(values));
}

/// Asked of all before the first is measured, which may put a driver where there was none.
std::vector<Bar> possible(std::span<const Bar> bars, const std::vector<std::string>& names) {
  std::vector<Bar> found;
  for (const Bar& bar : bars) {
    if (!is_wanted(names, bar.name)) continue;
    const std::string reason = bar.missing();
    if (reason.empty()) {
      found.push_back(bar);
    } else {
      std::fprintf(stderr, "skipped %s: %s\n", bar.name.c_str(), reason.c_str());
    }
  }
  return found;
}

}  // namespace

bool is_wanted(const std::vector<std::string>& names, const std::string& name) {
  return names.empty() || std::ranges::find(names, name) != names.end();
}

void print_bar(const std::string& name, double value, const char* unit) {
  std::printf("bar %s %.3f %s\n", name.c_str(), value, unit);
  std::fflush(stdout);
}

int told(const std::string& what, int (*body)(const void*), const void* argument) {
  try {
    return body(argument);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "%s: %s\n", what.c_str(), failure.what());
    return 1;
  }
}

int measure_bars(const std::string& program, std::span<const Bar> bars, std::vector<std::string> words,
                 const std::vector<std::string>& for_processes) {
  const bool once = std::erase(words, kOnce) > 0;
  int code = 0;
  for (const Bar& bar : possible(bars, words)) {
    const bool here = once || bar.processes == 1;
    const auto value = [&] { return here ? bar.measure() : median_of_processes(bar, for_processes); };
    code = std::max(code, told(program + ": " + bar.name, [&] { return print_bar(bar.name, value(), bar.unit), 0; }));
  }
  return code;
}

}  // namespace kmux::bench
