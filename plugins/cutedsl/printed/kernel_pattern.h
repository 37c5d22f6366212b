#pragma once

#include <stddef.h>
#include <string.h>

namespace kmux::cutedsl {

/// The result of matching a pattern against names.
struct KernelMatch {
  size_t index;  // of the match, valid if `count` is 1
  size_t count;  // of equally good matches
};

/// Finds a kernel by a part of its name: CuTe DSL's symbols contain the function's name, and without metadata that is
/// the only way to tell them apart. A name in which "_" and a digit follow the pattern is a variant, and matches only
/// if no other name does.
inline KernelMatch match_kernel(const char* pattern, const char* const* names, size_t count) {
  KernelMatch bases = {0, 0};
  KernelMatch variants = {0, 0};
  for (size_t i = 0; i < count; ++i) {
    const char* const found = strstr(names[i], pattern);
    if (found == nullptr) continue;
    const char* const rest = found + strlen(pattern);
    const bool is_variant = rest[0] == '_' && rest[1] >= '0' && rest[1] <= '9';
    KernelMatch& matches = is_variant ? variants : bases;
    matches = {i, matches.count + 1};
  }
  return bases.count > 0 ? bases : variants;
}

}  // namespace kmux::cutedsl
