#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kmux/json.h"

#include "exemptions.h"

namespace kmux::conformance {

/// Keeps the result of each case, for one JSON document at the end.
///
/// Lifetime: must be appended to GoogleTest's listeners, which then own it.
class CaseListener final : public testing::EmptyTestEventListener {
 public:
  void OnTestPartResult(const testing::TestPartResult& result) override;
  void OnTestEnd(const testing::TestInfo& test) override;
  /// Returns {"group", "name", "status": "passed", "failed" or "skipped", "ms", "message"} of each case.
  const Json::Array& cases() const { return cases_; }

 private:
  std::string message_;
  Json::Array cases_;
};

/// Returns the document of --json.
Json report_of(const std::string& plugin, const std::string& device, const Json::Array& cases,
               const Exemptions& exemptions, const std::vector<std::string>& unexpected_passes);

}  // namespace kmux::conformance
