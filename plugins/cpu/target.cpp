#include "target.h"

#include <algorithm>

#include "kmux/plugin/support.h"
#include "kmux/plugin/words.h"

#include "engine/host_cpu.h"
#include "engine/native_target.h"

namespace kmux::cpu {
namespace {

TargetForms forms(std::string_view attributes = "mcpu") {
  return {"cpu", "auto, cpu, c and llvm", attributes, R"("cpu" or "cpu:x86-64-v3")"};
}

Error unknown_cpu(const std::string& name) {
  return make_error(ErrorCode::kInvalidArgument,
                    "processor \"" + name + "\" is not known to LLVM." + did_you_mean(name, known_cpus()) +
                        R"( "cpu" alone is this machine's own, ")" + host_cpu().name + "\".");
}

// Of TVM's attributes those are taken that say nothing new about this machine.
Result<std::string> cpu_of(const Target& target) {
  for (const auto& [key, value] : target.attributes) {
    if ((key == "mtriple" && value == host_triple()) || (key == "keys" && value == "cpu")) continue;
    return unknown_attribute(key, value, forms("mcpu, and mtriple=" + host_triple()));
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

}  // namespace

Result<Target> resolve_cpu_target(std::string_view request) {
  if (request.empty() || request == "auto") return Target{"cpu", host_cpu().name, {}};
  KMUX_ASSIGN(const Target target, parse_target(request));
  if (target.kind != "cpu" && target.kind != "c" && target.kind != "llvm") return unknown_kind(target, forms());
  KMUX_ASSIGN(const std::string cpu, cpu_of(target));
  if (cpu != host_cpu().name && !find_cpu(cpu)) return unknown_cpu(cpu);
  return Target{"cpu", cpu, {}};
}

bool satisfies(const Target& target, const std::string& arch) {
  if (target.arch == arch) return true;
  const auto processor = find_cpu(arch);
  return processor && contains_all(features_of(target.arch), processor->features);
}

bool has_feature(const Target& target, const std::string& feature) {
  return features_of(target.arch).contains(feature);
}

}  // namespace kmux::cpu
