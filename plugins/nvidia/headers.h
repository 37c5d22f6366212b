#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kmux/include_scan.h"

namespace kmux::nvidia {

/// How a compiler of CUDA finds headers.
struct HeaderSearch {
  std::vector<std::string> folders = {};   // absolute, in the compiler's order
  std::vector<std::string> implicit = {};  // headers that it includes without being asked ("cuda_runtime.h")
  std::vector<std::string> defines = {};   // "NAME" or "NAME=VALUE", besides those of the settings
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

/// `error` with a sentence that says which header packages the sources need, if a header was not found and the settings
/// name some.
Error with_include_hint(Error error, const Settings& settings);

}  // namespace kmux::nvidia
