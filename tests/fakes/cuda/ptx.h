#pragma once

#include <map>
#include <string>
#include <vector>

#include "cubin.h"

namespace kmux::fake_cuda {

/// The parameters of every kernel of a text in PTX, by name; none of other text.
///
/// Source: PTX ISA 8, "Kernel and Function Directives: .entry".
std::map<std::string, std::vector<Parameter>> read_ptx(const char* text);

}  // namespace kmux::fake_cuda
