#include "junit.h"

#include <cstdio>
#include <string_view>

#include <gtest/gtest.h>

namespace kmux::conformance {
namespace {

/// Returns the text as an attribute's value, without the control characters that XML cannot have.
std::string attribute(std::string_view text) {
  std::string escaped = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    const bool is_plain = code >= 0x20 && code != 0x7f && std::string_view("\"&<>").find(c) == std::string_view::npos;
    if (is_plain) {
      escaped += c;
    } else if (code >= 0x20 || c == '\n' || c == '\t') {
      escaped += "&#" + std::to_string(code) + ";";
    } else {
      escaped += '?';
    }
  }
  return escaped + "\"";
}

std::string seconds(testing::TimeInMillis ms) {
  char text[32];
  std::snprintf(text, sizeof text, "\"%.3f\"", static_cast<double>(ms) / 1e3);
  return text;
}

std::string numbers(int tests, int failures, int skipped, testing::TimeInMillis ms) {
  return " tests=\"" + std::to_string(tests) + "\" failures=\"" + std::to_string(failures) + "\" skipped=\"" +
         std::to_string(skipped) + "\" time=" + seconds(ms);
}

std::string parts_of(const testing::TestResult& result) {
  std::string parts;
  for (int i = 0; i < result.total_part_count(); ++i) {
    const testing::TestPartResult& part = result.GetTestPartResult(i);
    if (part.passed()) continue;
    const char* const kind = part.skipped() ? "skipped" : "failure";
    parts.append("      <").append(kind).append(" message=").append(attribute(part.message())).append("/>\n");
  }
  return parts;
}

std::string case_of(const testing::TestInfo& test) {
  const testing::TestResult& result = *test.result();
  const std::string parts = parts_of(result);
  return "    <testcase name=" + attribute(test.name()) + " classname=" + attribute(test.test_suite_name()) +
         " time=" + seconds(result.elapsed_time()) + (parts.empty() ? "/>\n" : ">\n" + parts + "    </testcase>\n");
}

std::string suite_of(const testing::TestSuite& suite) {
  std::string text =
      "  <testsuite name=" + attribute(suite.name()) +
      numbers(suite.test_to_run_count(), suite.failed_test_count(), suite.skipped_test_count(), suite.elapsed_time()) +
      ">\n";
  for (int i = 0; i < suite.total_test_count(); ++i) {
    if (suite.GetTestInfo(i)->should_run()) text += case_of(*suite.GetTestInfo(i));
  }
  return text + "  </testsuite>\n";
}

}  // namespace

std::string junit_report() {
  const testing::UnitTest& unit = *testing::UnitTest::GetInstance();
  std::string text =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"AllTests\"" +
      numbers(unit.test_to_run_count(), unit.failed_test_count(), unit.skipped_test_count(), unit.elapsed_time()) +
      ">\n";
  for (int i = 0; i < unit.total_test_suite_count(); ++i) {
    if (unit.GetTestSuite(i)->should_run()) text += suite_of(*unit.GetTestSuite(i));
  }
  return text + "</testsuites>\n";
}

}  // namespace kmux::conformance
