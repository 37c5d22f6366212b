#pragma once

namespace clang {
class CodeGenerator;
class SourceManager;
}  // namespace clang
namespace llvm {
class Module;
}

namespace kmux::simt {

/// Keeps the arithmetic of functions of device/ strict, whatever flags a program has. In `module`, as `generator` has
/// just made it, functions of the plugin's own headers lose all fast-math freedom of such flags. Every function loses
/// the attributes that would extend the freedom to code inlined into it. In the program's own functions the
/// instructions keep their fast-math flags.
void keep_device_arithmetic(clang::CodeGenerator& generator, const clang::SourceManager& sources, llvm::Module& module);

}  // namespace kmux::simt
