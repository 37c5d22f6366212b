#pragma once

#include <cstdint>

#include "kmux/dispatch.h"
#include "kmux/dispatch_json.h"

namespace kmux {

/// A valid program that uses any part of the IR; equal seeds give equal programs, everywhere.
Program random_program(std::uint32_t seed);

/// Gives the files of `program` by their paths.   Lifetime: borrows `program`.
FileReader files_of(const Program& program);

}  // namespace kmux
