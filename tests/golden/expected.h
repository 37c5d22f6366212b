#pragma once

#include <string>

namespace kmux::test {

/// The content of the file at `path`; empty if there is none.
std::string read(const std::string& path);

/// The launcher alone: what comes before is the same text for all.
std::string function_of(const std::string& launcher);

/// Expects `actual` to be what tests/golden/expected/`name` has; writes it there if KMUX_UPDATE_GOLDENS is 1.
void expect_golden(const std::string& name, const std::string& actual);

}  // namespace kmux::test
