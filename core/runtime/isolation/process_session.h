#pragma once

#include <sys/types.h>

namespace kmux {

/// Kills every process of the session that `leader` began, this process aside. Compilers that a plugin starts have
/// process groups of their own, but stay in its session.
void end_session(pid_t leader);

}  // namespace kmux
