#pragma once

#include <optional>
#include <string_view>

#include "engine/host_cpu.h"

namespace kmux::cpu {

/// Registers LLVM's native target. Every entry to LLVM's code generator calls it first.
///
/// Threads: any; does its work once.
void initialize_llvm();

/// The processor `name` with the features its name promises; nothing if LLVM does not know it.
std::optional<Processor> find_cpu(std::string_view name);

}  // namespace kmux::cpu
