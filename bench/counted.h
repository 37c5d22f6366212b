// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

namespace kmux::bench {

/// Returns the number after `label` in a line of the output of the command `words`, run with the additional variables
/// `environment`. Prints the output to stderr if the exit code is not 0.
///
/// Errors: throws std::runtime_error with the output if no line has the label.
double counted(const std::string& label, std::vector<std::string> words,
               std::map<std::string, std::string> environment = {});

}  // namespace kmux::bench
