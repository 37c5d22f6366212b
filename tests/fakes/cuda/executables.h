#pragma once

#include "objects.h"

namespace kmux::fake_cuda {

/// Marks the executable as changed by this thread. Reports misuse if another thread is changing it.
void claim(Executable& executable, const char* what);

}  // namespace kmux::fake_cuda
