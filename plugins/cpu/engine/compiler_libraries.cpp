#include "engine/compiler_libraries.h"

#include "clang/Basic/Version.h"
#include "engine/installation.h"
#include "llvm/TargetParser/Host.h"

namespace kmux::cpu {

std::vector<std::string> compiler_libraries() {
  const std::string clang = library_of(reinterpret_cast<void*>(&clang::getClangFullVersion));
  const std::string llvm = library_of(reinterpret_cast<void*>(&llvm::sys::getProcessTriple));
  if (clang == own_library()) return {};
  return clang == llvm ? std::vector<std::string>{clang} : std::vector<std::string>{clang, llvm};
}

}  // namespace kmux::cpu
