#pragma once

#include <string>
#include <string_view>

namespace demo {

/// Prints what the demo finds, in one form, and counts what is wrong.
class Report {
 public:
  /// A heading with a line under it.
  void title(std::string_view text);
  /// "  label     text"; every line of `text` is aligned with the first.
  void row(std::string_view label, std::string_view text);
  /// A row that says whether `difference` is within `tolerance`.
  void result(std::string_view label, double difference, double tolerance);
  /// A row that says whether something went as it should.
  void expect(std::string_view label, bool right, std::string_view text);
  /// The closing line. The exit code of the demo: 0 if nothing is wrong.
  int close();

 private:
  int checks_ = 0;
  int wrong_ = 0;
};

/// "1.23 ms" with the unit that suits.
std::string seconds_text(double seconds);

/// `value` with three significant digits and a unit: "79.1 GFLOP/s".
std::string number_text(double value, std::string_view unit);

}  // namespace demo
