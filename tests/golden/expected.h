#pragma once

#include <string>

namespace kmux::test {

/// Returns the content of the file at `path`; empty if it does not exist.
std::string read(const std::string& path);

/// Returns only the launcher function: the text before it is the same for all.
std::string function_of(const std::string& launcher);

/// Expects `actual` to equal tests/golden/expected/`name`; writes it there if KMUX_UPDATE_GOLDENS is 1.
void expect_golden(const std::string& name, const std::string& actual);

}  // namespace kmux::test
