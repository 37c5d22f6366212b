#pragma once

#include <memory>
#include <string>

#include "kmux/plugin/dependencies.h"

#include "cache/kernel_headers.h"
#include "file_tick.h"
#include "in_process_plugin.h"

namespace kmux {

/// Returns an artifact that was compiled from the header at `path`.
inline Artifact artifact_with_header(const std::string& path) {
  Artifact artifact;
  artifact.set(std::string(kDependenciesPart), to_json(Dependencies{.files = {path}}));
  return artifact;
}

/// Returns an empty kernel that was compiled from the header at `path` in its current state.
inline Kernel kernel_with_header(const std::string& path) {
  KernelParts parts = fake_parts({});
  parts.headers = std::make_shared<KernelHeaders>(artifact_with_header(path), next_file_tick());
  return make_kernel(std::move(parts)).value();
}

}  // namespace kmux
