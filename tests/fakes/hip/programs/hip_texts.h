#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kmux/error.h"

namespace kmux {

/// The results of AMD's own compiler on the HIP texts of the tree (cpu/real_compilers.h), each for gfx90a, gfx942 and
/// gfx1100. Over the HIP on the CPU, the texts are compiled by conformance, the differential group, the programs of
/// this folder, TileLang's exported programs and the tests of plugins/hip.
struct HipTexts {
  std::size_t texts = 0;  // distinct texts
  std::size_t by_hiprtc = 0;  // of these, compiled by hiprtc for at least one of the three
  std::size_t by_clang = 0;  // of these, compiled by Clang for architectures that hiprtc does not know
  std::vector<std::string> refused = {};  // lines of the record
  std::vector<std::string> failed = {};  // programs that failed, with the end of their output
};

/// Runs every such program with `library` as the real libamdhip64.so.
///
/// Errors: unavailable if a program cannot be started.
Result<HipTexts> compile_hip_texts(const std::string& library);

/// Returns why `library` is invalid for that here; empty if it is usable.
std::string missing_hip(const std::string& library);

/// The newest release that is searched for.
inline constexpr const char* kRealHip = "libamdhip64.so.5";

}  // namespace kmux
