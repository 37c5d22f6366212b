#include "bars/measured.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <stdexcept>

#include "bars/settings.h"
#include "timing.h"

namespace kmux::bench {
namespace {

constexpr const char* kSkipped = "skipped ";
constexpr const char* kValue = "value ";

std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

// Returns the shell command of a process that measures `bar`. It inherits stderr, so that progress is visible.
std::string once_command(const Bar& bar) {
  std::string command = quoted(std::filesystem::read_symlink("/proc/self/exe").string());
  for (const std::string& word : settings_as_words()) command += " " + quoted(word);
  return command + " --once " + quoted(bar.name);
}

std::string output_of(const std::string& command) {
  std::fflush(stdout);
  FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("no process can be started");
  std::string text;
  std::array<char, 256> piece;
  while (std::fgets(piece.data(), piece.size(), pipe) != nullptr) text += piece.data();
  if (pclose(pipe) != 0) throw std::runtime_error("the process that measures it failed. Its reason is above.");
  return text;
}

// Returns the value of one process, or nothing if the bar cannot be measured here.
std::optional<double> value_of_a_process(const Bar& bar) {
  const std::string text = output_of(once_command(bar));
  if (text.starts_with(kSkipped)) {
    std::fprintf(stderr, "skipped %s: %s", bar.name.c_str(), text.c_str() + std::string(kSkipped).size());
    return std::nullopt;
  }
  const std::size_t at = text.rfind(kValue);  // after the output of a bar's libraries
  if (at == std::string::npos) throw std::runtime_error("the process that measures it printed no value");
  return std::stod(text.substr(at + std::string(kValue).size()));
}

std::optional<double> value_of(const Bar& bar) {
  std::vector<double> values;
  for (int i = 0; i < bar.needs.processes; ++i) {
    const std::optional<double> value = value_of_a_process(bar);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  if (values.size() > 1) {
    const auto [least, most] = std::ranges::minmax(values);
    std::fprintf(stderr, "  %.3f to %.3f %s in %zu processes\n", least, most, bar.unit.c_str(), values.size());
  }
  return median(std::move(values));
}

}  // namespace

bool measure_and_print(const Bar& bar) {
  const std::optional<double> value = value_of(bar);
  if (!value) return true;
  const bool is_held = bar.limit.holds(*value);
  std::string verdict = bar.limit.text();
  if (!verdict.empty()) verdict = " " + verdict + (is_held ? " held" : " missed");
  std::printf("bar %s %.3f %s%s\n", bar.name.c_str(), *value, bar.unit.c_str(), verdict.c_str());
  std::fflush(stdout);
  return is_held;
}

int measure_once(const Bar& bar) {
  const std::string reason = bar.needs.missing == nullptr ? "" : bar.needs.missing();
  if (!reason.empty()) return std::printf("%s%s\n", kSkipped, reason.c_str()), 0;
  const double value = bar.measure();
  return std::printf("%s%.3f\n", kValue, value), 0;
}

}  // namespace kmux::bench
