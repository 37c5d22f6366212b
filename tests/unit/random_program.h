#pragma once

#include <cstdint>

#include "kmux/dispatch.h"
#include "kmux/dispatch_json.h"

namespace kmux {

/// Returns a valid program that uses any part of the IR. Equal seeds return equal programs on every machine.
Program random_program(std::uint32_t seed);

/// Returns a reader of the files of `program` by their paths.   Lifetime: borrows `program`.
FileReader files_of(const Program& program);

}  // namespace kmux
