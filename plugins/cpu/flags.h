#pragma once

#include <string>
#include <vector>

#include "kmux/error.h"

namespace kmux::cpu {

/// Are all `flags` of the kinds that change how a kernel is compiled and nothing else: -D -U -I -O -f -m -W -w -g -std=
/// -pedantic, each in one piece?
///
/// Errors: invalid_argument that names the first other flag: one that writes files, loads code, links or reads options
///         from a file.
Status check_flags(const std::vector<std::string>& flags);

}  // namespace kmux::cpu
