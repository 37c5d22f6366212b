#include "kmux/plugin/support.h"

#include <algorithm>

#include "kmux/plugin/failure_text.h"
#include "kmux/plugin/plugin.hpp"
#include "kmux/plugin/quoting.h"
#include "kmux/plugin/sink.h"
#include "kmux/plugin/word_list.h"

namespace kmux {
namespace {

std::string backend_of(const Support& support) { return "backend " + std::string(support.backend); }

void add_dialect(std::vector<MissingFeature>& missing, const Support& support, const BuildRequest& request) {
  const std::string& dialect = request.chosen().dialect;
  if (std::ranges::find(support.dialects, dialect) != support.dialects.end()) return;
  missing.push_back({"dialect", path_in_variant(request, "dialect"),
                     backend_of(support) + " takes dialects " + join(support.dialects) + ", not \"" + dialect + "\""});
}

void add_arch(std::vector<MissingFeature>& missing, const Support& support, const BuildRequest& request) {
  const std::vector<std::string>& wanted = request.chosen().requirements.arch;
  if (wanted.empty() || (support.has_arch && std::ranges::any_of(wanted, support.has_arch))) return;
  missing.push_back({"arch", path_in_variant(request, "requires/arch"),
                     support.has_arch ? "\"" + request.target.arch + "\" is not one that the variant is for"
                                      : backend_of(support) + " names no architectures"});
}

void add_device_features(std::vector<MissingFeature>& missing, const Support& support, const BuildRequest& request) {
  for (const std::string& feature : request.chosen().requirements.features) {
    if (support.has_feature && support.has_feature(feature)) continue;
    missing.push_back({feature, path_in_variant(request, "requires/features"),
                       support.has_feature ? "\"" + request.target.arch + "\" does not have it"
                                           : backend_of(support) + " names no such feature"});
  }
}

}  // namespace

std::vector<MissingFeature> missing_of(const Support& support, const BuildRequest& request) {
  auto missing = missing_features(request.program, request.variant, support.features, support.backend);
  add_dialect(missing, support, request);
  add_arch(missing, support, request);
  add_device_features(missing, support, request);
  return missing;
}

std::string path_in_variant(const BuildRequest& request, std::string_view member) {
  return "/variants/" + std::to_string(request.variant) + "/" + std::string(member);
}

Error unknown_kind(const Target& target, const TargetForms& forms) {
  std::string message = "target " + in_double_quotes(to_string(target));
  message.append(" is not one of backend ").append(forms.backend).append(" (it supports ").append(forms.kinds);
  message.append("). Use ").append(forms.examples).append(".");
  return make_error(ErrorCode::kInvalidArgument, std::move(message));
}

Error unknown_attribute(const std::string& key, const std::string& value, const TargetForms& forms) {
  std::string message = "target attribute " + in_double_quotes(key + "=" + value);
  message.append(" is unknown to backend ").append(forms.backend).append(" (it supports ").append(forms.attributes);
  message.append("). Remove it.");
  return make_error(ErrorCode::kInvalidArgument, std::move(message));
}

Error no_architecture(std::string_view request, std::string_view example, Error why) {
  if (why.code != ErrorCode::kUnavailable) return why;
  std::string& reason = why.message;
  if (reason.ends_with('.')) reason.pop_back();
  std::string message = "target " + in_double_quotes(request.empty() ? "auto" : request);
  message.append(" names no architecture, and no device has one (").append(reason);
  message.append("). Name one: --target ").append(example);
  message.append(", or target=").append(in_double_quotes(example)).append(" in code.");
  why.message = std::move(message);
  return why;
}

kmux_sink FailureText::sink() { return append_to(text_); }

Status FailureText::status(int code) const {
  if (code == KMUX_OK) return Ok{};
  return read_error(code, text_);
}

Error FailureText::unavailable() const { return read_error(KMUX_UNAVAILABLE, text_); }

}  // namespace kmux
