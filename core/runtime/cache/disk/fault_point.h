#pragma once

#include <string_view>

namespace kmux {

/// What a test wants to happen at a named step: it may kill the process, or return an errno for the step to fail with.
using FaultHandler = int (*)(std::string_view step);

/// Sets the handler; null, as in production, for none.
///
/// Threads: any.
void set_fault_handler(FaultHandler handler);

/// 0, or the errno with which the step has to fail.
int fault_point(std::string_view step);

}  // namespace kmux
