#pragma once

#include <functional>

namespace kmux::conformance {

/// Calls `work` with 0 to `count - 1`, each on a thread of its own, and waits for all of them. An exception, as `value()` of a
/// failure throws, is a failure of the case.
void on_threads(int count, const std::function<void(int)>& work);

}  // namespace kmux::conformance
