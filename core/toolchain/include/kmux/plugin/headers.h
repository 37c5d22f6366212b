#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/plugin/include_scan.h"

namespace kmux {

/// The header search of a CUDA compiler.
struct HeaderSearch {
  std::vector<std::string> folders = {};        // absolute, in the compiler's order
  std::vector<std::string> compile_flags = {};  // their -I precede `folders`; their -D apply
  std::vector<std::string> implicit = {};       // headers included without a directive ("cuda_runtime.h")
};

/// Finds the machine's headers that a variant of dialect cuda may read.
///
/// Threads: thread-safe.   Lifetime: caches the includes of each header.
class Headers {
 public:
  /// Returns the headers, or nothing if neither the variant nor the compiler includes anything.
  std::optional<Dependencies> scan(const Variant& variant, const HeaderSearch& search);

 private:
  IncludeMemory memory_;
};

/// Returns the text of a built-in header with its single-capital-letter names prefixed: a source may define such macros
/// before it includes the header ("#define T float").
///
/// Threads: any.   Lifetime: `embedded` must be valid until the process ends; the result is, too.
const std::string& header_text(std::string_view embedded);

}  // namespace kmux
