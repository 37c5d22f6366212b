#pragma once

#include <memory>
#include <string>

#include "kmux/plugin/backend.h"
#include "kmux/plugin/plugin.hpp"

namespace kmux::faults {

/// Returns `inner` with faults that plugin options of the host inject:
///
/// NAME.probe=no_toolchain  cannot build; any other word: cannot run, with that code
/// NAME.missing=cluster     lacks that feature
/// NAME.wrap, NAME.build, NAME.load, NAME.launch=unsupported (or another code of kmux/error.h): that error
/// NAME.create, NAME.probe, NAME.supports, NAME.wrap, NAME.build=segv, abort, kill, exit, hang, babble: the process
///     dies of SIGSEGV, SIGABRT or SIGKILL after a line on stderr, ends with code 0, never answers, or
///     writes noise to descriptor 3
std::unique_ptr<Backend> with_faults(std::string name, Host host, std::unique_ptr<Backend> inner);

}  // namespace kmux::faults
