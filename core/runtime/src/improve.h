#pragma once

#include <memory>

#include "kmux/compile.h"

#include "adapter_slot.h"

namespace kmux {

/// Compiles the best tier in the background, where `built` is of a lesser one, and gives it to `slot`.
void improve(Runtime& runtime, const Program& program, const CompileOptions& options, const BuildResult& built,
             AdapterSlot& slot);

}  // namespace kmux
