#include "target.h"

#include <algorithm>

#include "kmux/nearest.h"

#include "engine/find_cpu.h"
#include "engine/host_cpu.h"

namespace kmux::cpu {
namespace {

Error unknown_kind(const Target& target) {
  return make_error(
      ErrorCode::kInvalidArgument,
      "target \"" + to_string(target) +
          R"(" is not one of backend cpu (it knows auto, cpu, c and llvm). Use "cpu" or "cpu:x86-64-v3".)");
}

Error unknown_cpu(const std::string& name) {
  return make_error(ErrorCode::kInvalidArgument,
                    "processor \"" + name + "\" is not known to LLVM." + did_you_mean(name, known_cpus()) +
                        R"( "cpu" alone is this machine's own, ")" + host_cpu().name + "\".");
}

Error unknown_attribute(const std::string& key, const std::string& value) {
  std::string message = "target attribute \"" + key;
  message.append("=").append(value).append("\" is not known to backend cpu (it knows mcpu, and mtriple=");
  message.append(host_triple()).append("). Remove it.");
  return make_error(ErrorCode::kInvalidArgument, std::move(message));
}

// Of TVM's attributes those are taken that say nothing new about this machine.
Result<std::string> cpu_of(const Target& target) {
  for (const auto& [key, value] : target.attributes) {
    if ((key == "mtriple" && value == host_triple()) || (key == "keys" && value == "cpu")) continue;
    return unknown_attribute(key, value);
  }
  return target.arch.empty() || target.arch == "native" ? host_cpu().name : target.arch;
}

bool contains_all(const std::set<std::string>& features, const std::set<std::string>& wanted) {
  return std::includes(features.begin(), features.end(), wanted.begin(), wanted.end());
}

std::set<std::string> features_of(const std::string& cpu) {
  if (cpu == host_cpu().name) return host_cpu().features;
  const auto processor = find_cpu(cpu);
  return processor ? processor->features : std::set<std::string>{};
}

bool satisfies(const std::string& cpu, const std::string& wanted) {
  if (cpu == wanted) return true;
  const auto processor = find_cpu(wanted);
  return processor && contains_all(features_of(cpu), processor->features);
}

}  // namespace

Result<Target> resolve_cpu_target(std::string_view request) {
  if (request.empty() || request == "auto") return Target{"cpu", host_cpu().name, {}};
  KMUX_ASSIGN(const Target target, parse_target(request));
  if (target.kind != "cpu" && target.kind != "c" && target.kind != "llvm") return unknown_kind(target);
  KMUX_ASSIGN(const std::string cpu, cpu_of(target));
  if (cpu != host_cpu().name && !find_cpu(cpu)) return unknown_cpu(cpu);
  return Target{"cpu", cpu, {}};
}

std::vector<MissingFeature> missing_requirements(const Requires& requirements, const Target& target,
                                                 std::size_t variant) {
  std::vector<MissingFeature> missing;
  const std::string path = "/variants/" + std::to_string(variant) + "/requires";
  const auto& archs = requirements.arch;
  if (!archs.empty() &&
      std::none_of(archs.begin(), archs.end(), [&](const auto& arch) { return satisfies(target.arch, arch); })) {
    missing.push_back(
        {"arch", path + "/arch", "processor \"" + target.arch + "\" is none of those the variant is for"});
  }
  const std::set<std::string> features = features_of(target.arch);
  for (const std::string& feature : requirements.features) {
    if (features.contains(feature)) continue;
    missing.push_back({feature, path + "/features", "processor \"" + target.arch + "\" does not have it"});
  }
  return missing;
}

}  // namespace kmux::cpu
