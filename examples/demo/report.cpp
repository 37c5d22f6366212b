#include "report.h"

#include <cstdio>
#include <sstream>

namespace demo {
namespace {

constexpr int kLabelWidth = 12;

}  // namespace

void Report::title(std::string_view text) {
  std::printf("\n%s\n%s\n", std::string(text).c_str(), std::string(text.size(), '-').c_str());
}

void Report::row(std::string_view label, std::string_view text) {
  std::istringstream lines{std::string(text)};
  std::string head(label);
  for (std::string line; std::getline(lines, line); head.clear())
    std::printf("  %-*s%s\n", kLabelWidth, head.c_str(), line.c_str());
  std::fflush(stdout);
}

void Report::result(std::string_view label, double difference, double tolerance) {
  char text[128];
  std::snprintf(text, sizeof text, "largest difference to the reference %.1e (allowed: %.0e)", difference, tolerance);
  expect(label, difference <= tolerance, text);
}

void Report::expect(std::string_view label, bool right, std::string_view text) {
  ++checks_;
  wrong_ += right ? 0 : 1;
  row(label, std::string(right ? "ok: " : "WRONG: ") + std::string(text));
}

int Report::close() {
  if (wrong_ == 0)
    std::printf("\nAll %d checks passed.\n", checks_);
  else
    std::printf("\n%d of %d checks FAILED.\n", wrong_, checks_);
  return wrong_ == 0 ? 0 : 1;
}

std::string seconds_text(double seconds) {
  if (seconds >= 1) return number_text(seconds, "s");
  if (seconds >= 1e-3) return number_text(seconds * 1e3, "ms");
  return number_text(seconds * 1e6, "us");
}

std::string number_text(double value, std::string_view unit) {
  char text[64];
  const int digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  std::snprintf(text, sizeof text, "%.*f %s", digits, value, std::string(unit).c_str());
  return text;
}

}  // namespace demo
