#pragma once

#include "nvidia/launch/driver_abi.h"

namespace kmux::nvidia {

/// What failed among the calls of a replay, to be told once the call that it belongs to ends; `call` is null where nothing
/// did.
struct ReplayFailure {
  const char* call = nullptr;
  CUresult result = CUDA_SUCCESS;
};

}  // namespace kmux::nvidia
