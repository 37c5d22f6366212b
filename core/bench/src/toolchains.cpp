#include "toolchains.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "kmux/registry.h"
#include "kmux/runtime.h"

#include "contestant.h"

namespace kmux::bench {
namespace {

/// What tells one file from another, or has been told of the device.
constexpr std::array<std::string_view, 5> kOfFiles = {"size", "mtime_ns", "build_id", "sha256", "features"};

Result<std::string> toolchain_of(Runtime& runtime, const Entrant& entrant, const CompileOptions& options) {
  const CompileOptions exact = options_for(entrant, options);
  KMUX_ASSIGN(const auto plugin, runtime.registry().plugin(exact.execution_backend));
  KMUX_ASSIGN(const Target target, parse_target(entrant.target));
  return plugin->backend().builder().toolchain(target, exact.options);
}

bool names_a_place(const Json& value) {
  const std::string* const text = value.as_string();
  return text != nullptr && text->find('/') != std::string::npos;
}

Json::Object versions_of(const Json::Object& members) {
  Json::Object kept;
  for (const auto& [key, value] : members) {
    if (std::ranges::find(kOfFiles, key) != kOfFiles.end()) continue;
    Json told = versions_in(value);
    if (told != Json(Json::Array{})) kept.emplace(key, std::move(told));
  }
  return kept;
}

Json::Array versions_of(const Json::Array& values) {
  Json::Array kept;
  for (const Json& value : values) {
    if (!names_a_place(value)) kept.push_back(versions_in(value));
  }
  return kept;
}

}  // namespace

Json versions_in(const Json& identity) {
  if (const Json::Object* members = identity.as_object()) return versions_of(*members);
  if (const Json::Array* values = identity.as_array()) return versions_of(*values);
  if (!names_a_place(identity)) return identity;
  return std::filesystem::path(*identity.as_string()).filename().string();
}

Json toolchains_of(Runtime& runtime, const BenchReport& report, const BenchOptions& options) {
  Json toolchains{Json::Object{}};
  for (const Contest& contest : report.contests) {
    for (const Entrant& entrant : contest.entrants) {
      if (entrant.state != EntrantState::kTimed || toolchains.find(entrant.backend) != nullptr) continue;
      const Result<std::string> identity = toolchain_of(runtime, entrant, options.compile);
      if (!identity) continue;
      const Result<Json> json = parse_json(*identity);
      toolchains[entrant.backend] = versions_in(json ? *json : Json(*identity));
    }
  }
  return toolchains;
}

}  // namespace kmux::bench
