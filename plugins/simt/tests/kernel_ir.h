#pragma once

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "simt/analysis/divergence.h"

namespace kmux::simt {

/// Declarations of the thread queries that texts use.
inline constexpr const char* kDeclarations =
    "declare i32 @\"kmux.thread.x\"() nounwind willreturn memory(none)\ndeclare i32 @\"kmux.block.x\"() nounwind "
    "willreturn memory(none)\n"
    "declare i32 @\"kmux.lane\"() nounwind willreturn memory(none)\ndeclare void @\"kmux.barrier\"() convergent\n";

/// A module of text, with the analyses of LLVM for lanes.
class KernelIr : public DivergentAnalyses {
 public:
  explicit KernelIr(const std::string& text) : DivergentAnalyses(false) {
    llvm::SMDiagnostic error;
    module = llvm::parseAssemblyString(kDeclarations + text, error, context);
    EXPECT_NE(module, nullptr) << error.getMessage().str();
  }
  ~KernelIr() { functions.clear(); }

  llvm::Function& kernel() { return *module->getFunction("k"); }

  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
};

/// Returns `function` as text, after verifying that it is valid.
inline std::string text_of(const llvm::Function& function) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  function.print(stream);
  EXPECT_FALSE(llvm::verifyFunction(function, &stream)) << text;
  return text;
}

}  // namespace kmux::simt
