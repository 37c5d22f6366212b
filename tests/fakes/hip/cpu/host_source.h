#pragma once

#include <string>
#include <vector>

namespace kmux::fake_hip {

/// HIP C++ as C++ for the host: dynamic shared memory is the library's, and every kernel can be called with the arguments
/// of a launch as `kmux_kernel_NAME`, the instantiations of `expressions` by their numbers.
std::string host_source(const std::string& source, const std::vector<std::string>& expressions);

/// The symbol that stands for expression number `index`.
std::string expression_symbol(std::size_t index);

}  // namespace kmux::fake_hip
