#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kmux/error.h"

namespace kmux {

/// What became of the HIP texts of the tree that AMD's own compiler was given (cpu/real_compilers.h), each for gfx90a, gfx942
/// and gfx1100. The texts are those that conformance, the differential group, the programs of this folder, the exported
/// programs of TileLang's and the tests of plugins/hip compile over the HIP on the CPU.
struct HipTexts {
  std::size_t texts = 0;  // that differ
  std::size_t by_hiprtc = 0;  // of these, compiled by hiprtc for at least one of the three
  std::size_t by_clang = 0;  // of these, compiled by Clang for those that hiprtc does not know
  std::vector<std::string> refused = {};  // lines of the record
  std::vector<std::string> failed = {};  // programs that failed, with the end of what they wrote
};

/// Has every such program run and compile with `library` as the real libamdhip64.so.
///
/// Errors: unavailable where a program cannot be started.
Result<HipTexts> compile_hip_texts(const std::string& library);

/// Why `library` cannot be used for that here; empty if it can.
std::string missing_hip(const std::string& library);

/// The newest release that is looked for.
inline constexpr const char* kRealHip = "libamdhip64.so.5";

}  // namespace kmux
