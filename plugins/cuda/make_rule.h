#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kmux::cuda {

/// The absolute paths that a rule for make depends on, as compilers write it for -MD, normalised and sorted.
std::vector<std::string> absolute_prerequisites(std::string_view rule);

}  // namespace kmux::cuda
