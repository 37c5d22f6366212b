// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "llvm/ADT/StringRef.h"

namespace kmux::simt {

/// Returns the C++ name of `symbol`, or `symbol` itself if it is none. Unlike LLVM's demangler, the C++ library's reads
/// calls of generic lambdas.
std::string demangled(llvm::StringRef symbol);

}  // namespace kmux::simt
