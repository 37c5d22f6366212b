// SPDX-License-Identifier: Apache-2.0
#include "simt/analysis/demangled.h"

#include <cstdlib>
#include <cxxabi.h>
#include <memory>

namespace kmux::simt {

std::string demangled(llvm::StringRef symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(symbol.str().c_str(), nullptr, nullptr, &status), &std::free);
  return name != nullptr && symbol.starts_with("_Z") ? name.get() : symbol.str();
}

}  // namespace kmux::simt
