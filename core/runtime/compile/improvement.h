// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "kmux/dispatch.h"

#include "artifact/choice.h"
#include "cache/kernel_headers.h"
#include "kernel/adapter_slot.h"

namespace kmux {

class ArtifactCache;
class Background;
class BackendHistory;

/// Better code for a kernel, to compile in the background. It owns everything that the compilation uses.
///
/// Replaces nothing if one of `headers` changes before the better code is compiled: the results of a kernel must not
/// change after it was compiled.
struct Improvement {
  std::shared_ptr<const Program> program;
  Choice choice;  // borrows `program`
  std::string tier;
  bool is_successor;  // the policy prefers this candidate in the end; else it is a better tier of the same one
  std::shared_ptr<ArtifactCache> cache;  // null: the caller uses none
  std::shared_ptr<BackendHistory> history;
  std::shared_ptr<KernelHeaders> headers;  // of the kernel
  int device;
};

/// Compiles the better code on the thread of `background` and passes it to `slot`.
void improve(Background& background, Improvement improvement, AdapterSlot& slot);

}  // namespace kmux
