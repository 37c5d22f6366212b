#pragma once

#include <cstdint>
#include <filesystem>

#include "kmux/compile.h"
#include "kmux/dispatch.h"
#include "kmux/error.h"
#include "kmux/runtime.h"

namespace kmux::bench {

/// Units: bytes. What a build of `program` takes in memory: it is made once, without the cache, in a worker process of kmux;
/// this and the compilers that it starts count. This process does not: compilers in it have built the program before, and
/// what they kept would hide what a build takes.
///
/// Errors: those of `build` with isolation "process"; unavailable where the system does not say.
Result<std::uint64_t> build_memory(const Runtime& runtime, const Program& program, CompileOptions options,
                                   const std::filesystem::path& folder);

}  // namespace kmux::bench
