#include "backend_json.h"

#include "base/json_text.h"

namespace kmux {
namespace {

Error malformed(std::string_view what) {
  return make_error(ErrorCode::kInvalidArgument, std::string(what) + " does not have the form of docs/plugin-abi.md.");
}

Json availability_json(const Availability& availability) {
  return Json::Object{{"code", availability.code}, {"reason", availability.reason}};
}

/// The member `key` of `json` if it is text, else null.
const std::string* text_in(const Json* json, std::string_view key) {
  const Json* member = json == nullptr ? nullptr : json->find(key);
  return member == nullptr ? nullptr : member->as_string();
}

Result<Availability> read_availability(const Json* json) {
  const std::string* code = text_in(json, "code");
  const std::string* reason = text_in(json, "reason");
  if (code == nullptr || reason == nullptr) return malformed("a probe report");
  return Availability{*code, *reason};
}

}  // namespace

std::string to_json(const ProbeReport& report) {
  return dump(
      Json::Object{{"can_build", availability_json(report.can_build)}, {"can_run", availability_json(report.can_run)}});
}

std::string to_json(const std::vector<MissingFeature>& missing) {
  Json::Array list;
  for (const MissingFeature& one : missing) {
    list.emplace_back(Json::Object{{"feature", one.feature}, {"path", one.path}, {"reason", one.reason}});
  }
  return dump(Json(std::move(list)));
}

Result<ProbeReport> probe_report_from_json(std::string_view json) {
  KMUX_ASSIGN(const Json document, read_json(json));
  ProbeReport report;
  KMUX_ASSIGN(report.can_build, read_availability(document.find("can_build")));
  KMUX_ASSIGN(report.can_run, read_availability(document.find("can_run")));
  return report;
}

Result<std::vector<MissingFeature>> missing_features_from_json(std::string_view json) {
  KMUX_ASSIGN(const Json document, read_json(json));
  if (document.as_array() == nullptr) return malformed("a list of missing features");
  std::vector<MissingFeature> missing;
  for (const Json& item : *document.as_array()) {
    const std::string* feature = text_in(&item, "feature");
    const std::string* path = text_in(&item, "path");
    const std::string* reason = text_in(&item, "reason");
    if (feature == nullptr || path == nullptr || reason == nullptr) return malformed("a missing feature");
    missing.push_back({*feature, *path, *reason});
  }
  return missing;
}

}  // namespace kmux
