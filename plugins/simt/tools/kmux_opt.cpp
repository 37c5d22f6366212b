// SPDX-License-Identifier: Apache-2.0
// kmux-opt: runs passes of the compiler on LLVM IR as text, and prints the result. For tests and for work on a pass.
#include <memory>
#include <string>

#include "llvm/IR/LLVMContext.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "simt/tools/passes.h"

namespace cl = llvm::cl;

namespace kmux::simt::tools {
namespace {

cl::OptionCategory category("kmux-opt");
cl::opt<std::string> file(cl::Positional, cl::desc("FILE.ll"), cl::init("-"), cl::cat(category));
cl::list<std::string> passes("passes", cl::desc("passes to run, in order (below, and LLVM's function passes)"),
                             cl::CommaSeparated, cl::Required, cl::cat(category));
cl::list<unsigned> block("block", cl::desc("known extents of a block: X,Y,Z"), cl::CommaSeparated, cl::cat(category));
cl::opt<unsigned> lanes("lanes", cl::desc("threads of a warp (default: as the pipeline chooses)"), cl::cat(category));
cl::opt<unsigned> warps("warps", cl::desc("warps in lockstep"), cl::init(1), cl::cat(category));
cl::opt<std::string> cpu("mcpu", cl::desc("target processor (default: this machine's)"), cl::cat(category));

std::string help() {
  std::string text = "Runs passes of kmux's compiler for processors on LLVM IR.\n\nPasses:\n";
  for (const NamedPass& one : named_passes())
    text += "  " + one.name.str() + std::string(24 - one.name.size(), ' ') + one.summary.str() + "\n";
  return text;
}

KnownExtents extents() {
  KnownExtents known = {};
  if (block.empty()) return known;
  known = {1, 1, 1};
  for (std::size_t i = 0; i < block.size() && i < known.size(); ++i) known[i] = block[static_cast<unsigned>(i)];
  return known;
}

int fail(const std::string& text) {
  llvm::errs() << "kmux-opt: " << text << "\n";
  return 1;
}

int run() {
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  const std::unique_ptr<llvm::Module> module = llvm::parseIRFile(file, problem, context);
  if (module == nullptr) {
    problem.print("kmux-opt", llvm::errs());
    return 1;
  }
  const PassContext settings{extents(), lanes.getNumOccurrences() == 0 ? std::nullopt : std::optional<unsigned>(lanes),
                             warps, cpu, llvm::outs()};
  for (const std::string& name : passes) {
    if (const Status done = run_pass(name, *module, settings); !done) return fail(done.error().explain());
  }
  llvm::outs() << *module;
  return 0;
}

}  // namespace
}  // namespace kmux::simt::tools

int main(int argc, char** argv) {
  using namespace kmux::simt::tools;
  cl::HideUnrelatedOptions(category);
  const std::string text = help();
  cl::ParseCommandLineOptions(argc, argv, text);
  return run();
}
