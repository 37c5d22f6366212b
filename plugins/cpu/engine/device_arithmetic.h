#pragma once

namespace clang {
class CodeGenerator;
class SourceManager;
}  // namespace clang
namespace llvm {
class Module;
}

namespace kmux::cpu {

/// Has the functions of device/ compute what their text says, whatever flags a program has: of `module`, as `generator` has just made
/// it, the functions of the plugin's own headers lose all freedom that such flags give, and every function loses the attributes that
/// give it to what becomes part of it. What a flag allows in the program's own functions is said by their instructions, and stays.
void keep_device_arithmetic(clang::CodeGenerator& generator, const clang::SourceManager& sources, llvm::Module& module);

}  // namespace kmux::cpu
