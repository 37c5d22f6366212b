#pragma once

#include "kmux/dispatch.h"
#include "kmux/error.h"

namespace kmux::hip {

/// Checks that the sources and headers of a variant of dialect cuda can be compiled as HIP C++. Nearly all of CUDA's
/// language is the same in HIP. The check finds the exceptions outside of comments and strings, and ignores `#if`.
///
/// Errors: unsupported that names the construct, the file and the line, and the replacement.
Status check_cuda_constructs(const Variant& variant);

}  // namespace kmux::hip
