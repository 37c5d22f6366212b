#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kmux/json.h"

#include "exemptions.h"

namespace kmux::conformance {

/// Keeps what became of each case, for one JSON document at the end.
///
/// Lifetime: GoogleTest owns it once it is appended to its listeners.
class CaseListener final : public testing::EmptyTestEventListener {
 public:
  void OnTestPartResult(const testing::TestPartResult& result) override;
  void OnTestEnd(const testing::TestInfo& test) override;
  /// {"group", "name", "status": "passed", "failed" or "skipped", "ms", "message"} of each case.
  const Json::Array& cases() const { return cases_; }

 private:
  std::string message_;
  Json::Array cases_;
};

/// The document of --json.
Json report_of(const std::string& plugin, const std::string& device, const Json::Array& cases,
               const Exemptions& exemptions, const std::vector<std::string>& unexpected_passes);

}  // namespace kmux::conformance
