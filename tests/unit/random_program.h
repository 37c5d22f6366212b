#pragma once

#include <cstdint>

#include "kmux/dispatch.h"

namespace kmux {

/// A valid program that uses any part of the IR; equal seeds give equal programs, everywhere.
Program random_program(std::uint32_t seed);

}  // namespace kmux
