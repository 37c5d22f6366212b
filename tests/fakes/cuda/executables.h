#pragma once

#include "objects.h"

namespace kmux::fake_cuda {

/// Notes that this thread is about to change or launch an executable; misuse while another thread changes it.
void claim(Executable& executable, const char* what);

}  // namespace kmux::fake_cuda
