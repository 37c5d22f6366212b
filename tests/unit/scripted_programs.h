#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kmux/dispatch.h"
#include "kmux/runtime.h"

#include "scripted_registry.h"

namespace kmux {

/// Returns a plugin for dialect c that builds, loads and launches.
inline PluginScript launching_script(const std::string& name, int priority) {
  PluginScript script;
  script.manifest.name = name;
  script.manifest.build_id = name + "-build";
  script.manifest.priority = priority;
  script.manifest.targets = {"cpu"};
  script.manifest.dialects = {"c"};
  script.manifest.aliases = {"any"};
  script.manifest.device_types = {kDLCPU};
  script.loads = Ok{};
  return script;
}

/// Returns a program that doubles a vector of `extent`, in `variants` variants.
inline Program doubling(std::size_t variants = 1, Expr extent = 4) {
  Program program{.name = "doubling"};
  for (const std::string& symbol : symbols_of(extent)) program.signature.symbols.push_back({symbol});
  program.signature.params = {{"a", BufferParam{dtype::kFloat32, {std::move(extent)}}}};
  for (std::size_t i = 0; i < variants; ++i) {
    Variant variant{.dialect = "c"};
    variant.sources = {
        {"twice" + std::to_string(i) + ".c", "void twice(float* a) { a[0] *= 2; }  // " + std::to_string(i) + "\n"}};
    variant.body.steps.push_back(Launch{.kernel = "twice", .args = {TensorArg{"a"}}});
    program.variants.push_back(std::move(variant));
  }
  return program;
}

/// Returns a runtime whose plugins are `scripts` and whose cache is `cache_dir`.
inline Shared<Runtime> runtime_of(std::vector<PluginScript*> scripts, const std::filesystem::path& cache_dir) {
  Environment environment;
  environment.cache_dir = cache_dir;
  return Runtime::with(environment, Shared<ScriptedRegistry>::make(std::move(scripts)));
}

}  // namespace kmux
