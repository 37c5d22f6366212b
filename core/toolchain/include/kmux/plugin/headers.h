#pragma once

#include <optional>
#include <string>
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

}  // namespace kmux
