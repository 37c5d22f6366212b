#pragma once

#include <string>
#include <sys/types.h>
#include <vector>

namespace kmux::test {

/// Returns the processes named `name` that `parent` has started, including zombies.
std::vector<pid_t> children_of(pid_t parent, const std::string& name = "kmux-worker");

/// Returns the number of descriptors that this process has open.
std::size_t open_descriptors();

}  // namespace kmux::test
