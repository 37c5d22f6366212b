#pragma once

#include <memory>
#include <vector>

#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"

namespace kmux::cpu {

/// The addresses in an object's `.init_array` and `.fini_array`, in the order in which they run.
struct InitSections {
  using Function = void (*)();
  std::vector<Function> initialisers;
  std::vector<Function> finalisers;
};

/// Keeps those sections while ORC links an object (it would drop them: nothing refers to them) and reads them.
///
/// Lifetime: borrows `sections`.
std::unique_ptr<llvm::orc::ObjectLinkingLayer::Plugin> collect_init_sections(InitSections& sections);

}  // namespace kmux::cpu
