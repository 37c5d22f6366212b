// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kmux/dispatch.h"
#include "kmux/resolver.h"

#include "artifact/compile_settings.h"

namespace kmux {

class ArtifactCache;
class BackendHistory;
class IsolatedPlugins;
class LockFiles;

/// The parts of a runtime that resolving queries.
struct ResolveServices {
  IsolatedPlugins& plugins;
  BackendHistory& history;
  LockFiles& lock_files;
  ArtifactCache* cache;  // null without one
};

/// Resolves as the public `resolve`, with complete settings.
Resolution resolve(const ResolveServices& services, const Program& program, const CompileSettings& settings);

/// Returns true if `resolve` would open a plugin whose memory is not the host's: such a plugin may start a driver,
/// which is slow.
bool opens_drivers(const ResolveServices& services, const Program& program, const CompileSettings& settings);

}  // namespace kmux
