#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/plugin/include_scan.h"

namespace kmux {

/// How a compiler of CUDA finds headers.
struct HeaderSearch {
  std::vector<std::string> folders = {};        // absolute, in the compiler's order
  std::vector<std::string> compile_flags = {};  // their -I come before `folders`, their -D count
  std::vector<std::string> implicit = {};       // headers that it includes without a directive ("cuda_runtime.h")
};

/// The headers of the machine that a variant of dialect cuda may read.
///
/// Threads: any.   Lifetime: remembers what each header includes.
class Headers {
 public:
  /// Nothing if neither the variant nor the compiler includes anything.
  std::optional<Dependencies> scan(const Variant& variant, const HeaderSearch& search);

 private:
  IncludeMemory memory_;
};

/// The text of a header in memory, `embedded` with longer names for those of one capital letter: a source may define such macros before it
/// includes the header ("#define T float").
///
/// Threads: any.   Lifetime: `embedded` must be valid until the process ends, as the returned text is.
const std::string& header_text(std::string_view embedded);

}  // namespace kmux
