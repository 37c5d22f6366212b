#include "engine/compiler_libraries.h"

#include "clang/Basic/Version.h"
#include "engine/installation.h"
#include "llvm/TargetParser/Host.h"

namespace kmux::cpu {
namespace {

std::vector<std::string> find_compiler_libraries() {
  const std::string clang = library_of(reinterpret_cast<void*>(&clang::getClangFullVersion));
  const std::string llvm = library_of(reinterpret_cast<void*>(&llvm::sys::getProcessTriple));
  if (clang == own_library()) return {};
  return clang == llvm ? std::vector<std::string>{clang} : std::vector<std::string>{clang, llvm};
}

}  // namespace

std::vector<std::string> compiler_libraries() {
  static const std::vector<std::string> found = find_compiler_libraries();
  return found;
}

}  // namespace kmux::cpu
