#pragma once

#include <map>
#include <string>
#include <vector>

#include "cubin.h"

namespace kmux::fake_cuda {

/// Returns the parameters of every kernel of a PTX text, by name; empty for other text.
///
/// Source: PTX ISA 8, "Kernel and Function Directives: .entry".
std::map<std::string, std::vector<Parameter>> read_ptx(const char* text);

/// Returns true if `text` is PTX, which begins with its version.
bool is_ptx(const char* text);

/// The target of a PTX text: for ".target sm_90a" the number 90 and `is_exact`, which restricts it to devices of that
/// number.
struct PtxTarget {
  int arch = 0;  // 0: the text names no target
  bool is_exact = false;
};
PtxTarget read_ptx_target(const char* text);

}  // namespace kmux::fake_cuda
