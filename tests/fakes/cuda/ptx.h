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

/// Is it a text in PTX, which begins with its version?
bool is_ptx(const char* text);

/// What a text in PTX is for: of ".target sm_90a" 90, and that only devices of this number take it.
struct PtxTarget {
  int arch = 0;  // 0: the text does not say
  bool is_exact = false;
};
PtxTarget read_ptx_target(const char* text);

}  // namespace kmux::fake_cuda
