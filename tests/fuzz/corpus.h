#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kmux/error.h"

namespace kmux {

/// Returns the kept inputs of the fuzzer of `format`: they reach code that its seeds do not. Each line of
/// tests/fuzz/corpus/FORMAT.hex is one; `./kmux.sh fuzz keep` writes it. Empty for a format without kept inputs.
///
/// Errors: ends the program if a line is not hexadecimal digits.
std::vector<std::string> corpus_of(std::string_view format);

/// Writes the initial inputs of a fuzzer to `folder`: `seeds` as seed0 and so on, the kept inputs of `format` as kept0
/// and so on.
Status write_inputs(const std::string& folder, std::string_view format, const std::vector<std::string>& seeds);

}  // namespace kmux
