#include "report.h"

#include <algorithm>

namespace kmux::conformance {
namespace {

Json list_of(const std::vector<Exemptions::Entry>& entries) {
  Json::Array list;
  for (const auto& entry : entries) list.push_back(Json::Object{{"cases", entry.pattern}, {"reason", entry.reason}});
  return list;
}

std::int64_t count(const Json::Array& cases, std::string_view status) {
  return std::ranges::count_if(cases, [&](const Json& one) { return *one.find("status")->as_string() == status; });
}

}  // namespace

void CaseListener::OnTestPartResult(const testing::TestPartResult& result) {
  if (result.passed()) return;
  if (!message_.empty()) message_ += '\n';
  message_ += result.summary();
}

void CaseListener::OnTestEnd(const testing::TestInfo& test) {
  const testing::TestResult& result = *test.result();
  const char* const status = result.Failed() ? "failed" : result.Skipped() ? "skipped" : "passed";
  Json one = Json::Object{{"group", test.test_suite_name()},
                          {"name", test.name()},
                          {"status", status},
                          {"ms", static_cast<std::int64_t>(result.elapsed_time())},
                          {"message", std::exchange(message_, {})}};
  for (int i = 0; i < result.test_property_count(); ++i) {
    one[result.GetTestProperty(i).key()] = std::string(result.GetTestProperty(i).value());
  }
  cases_.push_back(std::move(one));
}

Json report_of(const std::string& plugin, const std::string& device, const Json::Array& cases,
               const Exemptions& exemptions, const std::vector<std::string>& unexpected_passes) {
  Json::Array passes;
  for (const std::string& one : unexpected_passes) passes.emplace_back(one);
  return Json::Object{{"plugin", plugin},
                      {"device", device},
                      {"passed", count(cases, "passed")},
                      {"failed", count(cases, "failed")},
                      {"skipped", count(cases, "skipped")},
                      {"cases", cases},
                      {"unsupported", list_of(exemptions.unsupported)},
                      {"expected_failures", list_of(exemptions.expected_failures)},
                      {"unexpected_passes", std::move(passes)}};
}

}  // namespace kmux::conformance
