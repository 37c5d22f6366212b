#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kmux/plugin/file_io.h"

#include "nvidia/target.h"

namespace kmux::nvidia {

/// The releases of CUDA from 12.0 on that the page covers.
inline constexpr std::array<Release, 10> kToolkits = {
    {{12, 0}, {12, 1}, {12, 2}, {12, 3}, {12, 4}, {12, 5}, {12, 6}, {12, 8}, {12, 9}, {13, 0}}};

/// A row of section "Toolkits" of docs/nvidia-drivers.md: "NVRTC 12.8, nvcc 12.8", or "up to NVRTC 12.9".
struct ToolkitFeature {
  std::string name;
  std::map<std::string, Release> releases;  // by tool
  bool is_gone_later = false;               // true if the releases are the last ones that have it
  std::string otherwise;

  bool is_in(const std::string& tool, Release release) const {
    const auto found = releases.find(tool);
    if (found == releases.end()) return false;
    return is_gone_later ? release <= found->second : release >= found->second;
  }
};

/// Returns all rows of `page`.
inline std::vector<ToolkitFeature> toolkit_features_in(const std::string& page) {
  static const std::regex kRow(R"(\n\| ([^|\n]+) \| (up to )?([A-Za-z]+ \d[^|\n]*) \| ([^|\n]+) \|)");
  static const std::regex kTool(R"(([A-Za-z]+) (\d+\.\d+))");
  std::vector<ToolkitFeature> features;
  for (std::sregex_iterator row(page.begin(), page.end(), kRow), end; row != end; ++row) {
    ToolkitFeature feature{row->str(1), {}, row->length(2) > 0, row->str(4)};
    const std::string tools = row->str(3);
    for (std::sregex_iterator tool(tools.begin(), tools.end(), kTool); tool != end; ++tool) {
      feature.releases[tool->str(1)] = parse_release(tool->str(2)).value();
    }
    features.push_back(std::move(feature));
  }
  return features;
}

/// Returns all rows of the page.
inline const std::vector<ToolkitFeature>& toolkit_features() {
  static const auto& features = *new std::vector<ToolkitFeature>(
      toolkit_features_in(read_file(KMUX_TEST_SOURCE_DIR "/docs/nvidia-drivers.md").value()));
  return features;
}

/// Returns the row with `part` in its name.
inline ToolkitFeature toolkit_feature(const std::string& part) {
  const auto& features = toolkit_features();
  const auto found =
      std::ranges::find_if(features, [&](const auto& one) { return one.name.find(part) != one.name.npos; });
  EXPECT_NE(found, features.end()) << part;
  return found == features.end() ? ToolkitFeature() : *found;
}

/// Returns true if the page states that `release` of `tool` generates code for "sm_103", or families.
inline bool page_knows(const std::string& tool, Release release, const std::string& arch) {
  const std::regex word(arch + "\\b");
  bool is_known = false;
  for (const ToolkitFeature& feature : toolkit_features()) {
    if (!feature.name.starts_with("code for") || !std::regex_search(feature.name, word)) continue;
    if (!feature.is_in(tool, release)) return false;
    is_known = true;
  }
  return is_known;
}

}  // namespace kmux::nvidia
