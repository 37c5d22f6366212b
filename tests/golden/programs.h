#pragma once

#include <vector>

#include "kmux/dispatch.h"

namespace kmux::test {

/// Returns small programs that together use every feature of bodies; each has one variant of dialect "cuda".
std::vector<Program> golden_programs();

}  // namespace kmux::test
