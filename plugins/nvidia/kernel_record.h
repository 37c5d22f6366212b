#pragma once

#include <string_view>

#include "kmux/error.h"
#include "kmux/plugin/launch_check.h"

namespace kmux::nvidia {

/// What a cubin says of the kernel with this symbol, in section ".nv.info.SYMBOL". Records that are missing, contradict each
/// other or are of a kind that is not known here say nothing: then the driver has the first word.
///
/// Errors: as `CubinFile::open`.
Result<KernelForm> kernel_record(std::string_view cubin, std::string_view symbol);

}  // namespace kmux::nvidia
