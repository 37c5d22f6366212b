#pragma once

#include <memory>

#include "kmux/compile.h"

#include "cache/kernel_headers.h"
#include "kernel/adapter_slot.h"

namespace kmux {

/// Compiles in the background what is better than `built`, and gives it to `slot`: the successor that `resolution` names,
/// else the best tier where `built` is of a lesser one.
///
/// Nothing replaces it if one of `headers`, those of `built`, changes before that is compiled: a kernel computes what it
/// computed when it was compiled.
void improve(Runtime& runtime, const std::shared_ptr<const Program>& program, const CompileOptions& options,
             const BuildResult& built, const Resolution& resolution, AdapterSlot& slot,
             const std::shared_ptr<KernelHeaders>& headers);

}  // namespace kmux
