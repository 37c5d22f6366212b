#pragma once

#include <string>
#include <sys/types.h>
#include <vector>

namespace kmux::test {

/// The processes named `name` that `parent` has started, zombies included.
std::vector<pid_t> children_of(pid_t parent, const std::string& name = "kmux-worker");

/// How many descriptors this process has open.
std::size_t open_descriptors();

}  // namespace kmux::test
