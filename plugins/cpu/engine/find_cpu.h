#pragma once

#include <optional>
#include <string_view>

#include "engine/host_cpu.h"

namespace kmux::cpu {

/// The processor `name` with the features its name promises; nothing if LLVM does not know it.
std::optional<Processor> find_cpu(std::string_view name);

}  // namespace kmux::cpu
