#pragma once

#include <string>
#include <vector>

#include "kmux/dispatch.h"
#include "kmux/error.h"

namespace kmux::hip {

/// May the sources and headers of a variant of dialect cuda be compiled as HIP C++? Nearly all of CUDA's language is the
/// same in HIP; this looks for what is not, outside of comments and strings and whatever `#if` it stands in.
///
/// Errors: unsupported that names the construct, the file and the line, and what to use instead.
Status check_cuda_constructs(const Variant& variant);

}  // namespace kmux::hip
