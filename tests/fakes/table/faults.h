#pragma once

#include <memory>
#include <string>

#include "kmux/backend.h"
#include "kmux/plugin.hpp"

namespace kmux::faults {

/// `inner`, which plugin options of the host make fail on purpose:
///
/// NAME.probe=no_toolchain  cannot build; any other word: cannot run, with that code
/// NAME.missing=cluster     lacks that feature
/// NAME.wrap, NAME.build, NAME.load, NAME.launch=unsupported (or another code of kmux/error.h): that error
std::unique_ptr<Backend> with_faults(std::string name, Host host, std::unique_ptr<Backend> inner);

}  // namespace kmux::faults
