#pragma once

#include <memory>

#include "kmux/compile.h"

#include "src/adapter_slot.h"

namespace kmux {

/// Compiles in the background what is better than `built`, and gives it to `slot`: the successor that `resolution` names,
/// else the best tier where `built` is of a lesser one.
void improve(Runtime& runtime, const Program& program, const CompileOptions& options, const BuildResult& built,
             const Resolution& resolution, AdapterSlot& slot);

}  // namespace kmux
