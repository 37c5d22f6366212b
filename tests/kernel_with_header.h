#pragma once

#include <memory>
#include <string>

#include "kmux/plugin/dependencies.h"

#include "cache/kernel_headers.h"
#include "file_tick.h"
#include "in_process_plugin.h"

namespace kmux {

/// An artifact that was compiled from that header.
inline Artifact artifact_with_header(const std::string& path) {
  Artifact artifact;
  artifact.set(std::string(kDependenciesPart), to_json(Dependencies{.files = {path}}));
  return artifact;
}

/// A kernel that does nothing and was compiled from that header, as it is now.
inline Kernel kernel_with_header(const std::string& path) {
  KernelParts parts = fake_parts({});
  parts.headers = std::make_shared<KernelHeaders>(artifact_with_header(path), next_file_tick());
  return make_kernel(std::move(parts)).value();
}

}  // namespace kmux
