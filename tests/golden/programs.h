#pragma once

#include <vector>

#include "kmux/dispatch.h"

namespace kmux::test {

/// Small programs that between them use everything a body can say; each has one variant of dialect "cuda".
std::vector<Program> golden_programs();

}  // namespace kmux::test
