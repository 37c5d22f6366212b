#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kmux/plugin/backend.h"

namespace kmux {

/// The answers of a backend in the form in which they cross the plugin ABI.
std::string to_json(const ProbeReport& report);
std::string to_json(const std::vector<MissingFeature>& missing);

/// Errors: invalid_argument for anything that the functions above do not write.
Result<ProbeReport> probe_report_from_json(std::string_view json);
Result<std::vector<MissingFeature>> missing_features_from_json(std::string_view json);

}  // namespace kmux
