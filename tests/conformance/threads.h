#pragma once

#include <functional>

namespace kmux::conformance {

/// Calls `work` with 0 to `count - 1`, each in a separate thread, and joins all threads. Reports an exception, for
/// example from `value()` of a failure, as a failure of the case.
void on_threads(int count, const std::function<void(int)>& work);

}  // namespace kmux::conformance
