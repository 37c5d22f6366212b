#pragma once

#include <functional>

namespace kmux::bridge {

/// What a caller that waits for a compiler does meanwhile: hands on what was logged, and ends the compilation if its
/// language was interrupted, as Python by Ctrl-C: it throws what says so to TVM-FFI.
///
/// Nothing in other threads than the process's first: there are no interrupts in those, and a language that ends takes them
/// away where they enter it.
std::function<void()> interruption();

}  // namespace kmux::bridge
