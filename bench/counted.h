// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

namespace kmux::bench {

/// Returns the number behind `label` in a line of what the command `words` prints, with the variables of `environment` besides. Prints
/// the command's output to stderr if its exit code is not 0.
///
/// Errors: throws std::runtime_error with the output if there is no such line.
double counted(const std::string& label, std::vector<std::string> words,
               std::map<std::string, std::string> environment = {});

}  // namespace kmux::bench
