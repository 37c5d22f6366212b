#pragma once

#include <string>

namespace kmux {

/// What this machine is known by from its start to its end: device and inode numbers that were noted under another mark
/// mean nothing here. Of this process alone where the system has none.
///
/// Threads: any.
/// Source:  random(4), /proc/sys/kernel/random/boot_id.
const std::string& boot_mark();

}  // namespace kmux
