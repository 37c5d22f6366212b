#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kmux/error.h"

namespace kmux {

/// The inputs that are kept of what the fuzzer of `format` has found: they reach what its seeds do not. A line of
/// tests/fuzz/corpus/FORMAT.hex is one; `./kmux.sh fuzz keep` writes it. None of a format that nothing is kept of yet.
///
/// Errors: ends the program where a line is not one of hexadecimal digits.
std::vector<std::string> corpus_of(std::string_view format);

/// What a fuzzer begins with, as files of `folder`: `seeds` as seed0 and so on, what is kept of `format` as kept0 and so on.
Status write_inputs(const std::string& folder, std::string_view format, const std::vector<std::string>& seeds);

}  // namespace kmux
