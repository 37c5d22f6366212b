// SPDX-License-Identifier: Apache-2.0
#include "placement.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kmux {
namespace {

template <class T>
bool contains(const std::vector<T>& list, const T& item) {
  return std::ranges::find(list, item) != list.end();
}

bool takes(const Manifest& manifest, const Program& program, DLDevice device) {
  return contains(manifest.device_types, static_cast<std::int32_t>(device.device_type)) && !manifest.targets.empty() &&
         std::ranges::any_of(program.variants,
                             [&](const Variant& v) { return contains(manifest.dialects, v.dialect); });
}

/// Orders backends: the named one first, then by priority, then by name.
bool comes_before(const Manifest& a, const Manifest& b, const std::string& backend) {
  if ((a.name == backend) != (b.name == backend)) return a.name == backend;
  return a.priority != b.priority ? a.priority > b.priority : a.name < b.name;
}

/// Returns a target of the backends whose memory the tensors are in. Returns nothing if no backend has it: the resolver
/// will then report why.
std::optional<std::string> target_of(const Registry& registry, const Program& program, const std::string& backend,
                                     DLDevice device) {
  std::vector<Manifest> manifests = registry.manifests();
  std::erase_if(manifests, [&](const Manifest& manifest) { return !takes(manifest, program, device); });
  const auto first = std::ranges::min_element(
      manifests, [&](const Manifest& a, const Manifest& b) { return comes_before(a, b, backend); });
  return first == manifests.end() ? std::nullopt : std::optional(first->targets.front());
}

const std::string& given_or(const std::string& given, const std::string& otherwise) {
  return given.empty() ? otherwise : given;
}

}  // namespace

CompileOptions placed(CompileOptions options, const Environment& environment, const Registry& registry,
                      const Program& program, std::span<const Tensor> tensors) {
  const auto tensor = std::ranges::find_if(tensors, [](const Tensor& t) { return static_cast<bool>(t); });
  if (tensor == tensors.end()) return options;
  const DLDevice device = tensor->device().dl();
  if (!options.device) options.device = device.device_id;
  if (given_or(options.target, environment.target) != "auto") return options;
  const std::string& backend = given_or(options.execution_backend, environment.execution_backend);
  if (auto target = target_of(registry, program, backend, device)) options.target = *std::move(target);
  return options;
}

}  // namespace kmux
