#pragma once

#include "kmux/json.h"
#include "kmux/runtime.h"

namespace kmux::bench {

/// What a benchmark ran on: processor, cores, memory, system, kmux, and every device with its properties.
Json describe_machine(Runtime& runtime);

}  // namespace kmux::bench
