#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "kmux/error.h"

#include "engine/compiler.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Target/TargetMachine.h"

namespace kmux::cpu {

/// Registers LLVM's targets. Every function that uses LLVM's code generator must call it first.
///
/// Threads: any; does its work once.
void initialize_llvm();

/// A whole job as one module.
struct LinkedModule {
  std::unique_ptr<llvm::Module> module;
  std::vector<Error> on_fibers;  // as CompiledObject has them
  std::vector<std::string> variables;  // likewise
};

/// Links the modules of the units and of the launcher. Afterwards only the entry and the constants of `job` are
/// visible. Kernels that are written for one thread of a GPU become functions that run a grid.
///
/// The launcher may pass an integer for a floating-point parameter of the same width (unsigned short for _Float16): its
/// bits are passed. The same holds for parameters that are records. A bool may be taken as a byte.
/// Errors: compile_failed for a kernel that is not defined, and if two units define the same function; invalid_argument
///         for a kernel of another type than the launcher calls it with.
Result<LinkedModule> link_modules(std::vector<std::unique_ptr<llvm::Module>> units,
                                  std::unique_ptr<llvm::Module> launcher, const CompileJob& job,
                                  const std::string& log);

/// Checks that the launches of `job` pass the arguments that its kernels take, as Clang has compiled them. Skips
/// kernels that are missing.
///
/// Errors: invalid_argument that names the kernel and shows both; unsupported for a parameter of a type that device/
///         refuses.
Status check_passed(const llvm::Module& units, const CompileJob& job);

/// Returns the number of parameters, from `argument` on, that are one of the source: a record by value may have
/// several.
unsigned record_parts(const llvm::Argument& argument);
/// Returns the size in bytes of the record by value of which `argument` is all or the first part; 0 if it is not one.
unsigned source_bytes(const llvm::Argument& argument);
/// Returns the alignment of that record.
llvm::Align source_alignment(const llvm::Argument& argument);

/// Makes the kernels of `job` that run on grids take each structure of a launch by its address, instead of by the
/// calling convention. Each thread has a copy of a structure that its kernel may write.
void take_structures(llvm::Module& units, const CompileJob& job);

/// Returns for each parameter of `kernel` the size in bytes of the record by value that it passes in registers; 0 for
/// others. Returns an empty list if `kernel` is null.
std::vector<unsigned> record_bytes(const llvm::Function* kernel);

/// Returns true if calls of `declared` can become calls of `kernel`, whose last parameters are `records` in its source.
bool can_call(const llvm::Function& declared, const llvm::Function& kernel, const std::vector<unsigned>& records);

/// Changes the calls of `declared` to the parameter types of `taken`. `can_call` must be true for the two.
void adapt_calls(llvm::Function& declared, llvm::FunctionType& taken);

/// Renames each constant of a program to `constant_symbol`, the variable that points to it (compile_job.cpp). From here
/// on the constant is visible to the linker: a value that is set from outside must not be folded.
///
/// Errors: compile_failed if the sources do not define it; invalid_argument if it is const or has another size.
Status name_constants(llvm::Module& module, const std::vector<Constant>& constants);

/// Returns the sorted names of the variables of `module` that its own functions may write and that live as long as it
/// is loaded. Excludes __shared__ and __constant__ variables. `module` must be as Clang made it.
std::vector<std::string> written_variables(const llvm::Module& module);

/// Returns the code generator for `cpu`, position-independent.
///
/// Errors: internal if LLVM was built without the target of `cpu`.
Result<std::unique_ptr<llvm::TargetMachine>> make_target_machine(const std::string& cpu, unsigned opt_level, Tier tier);

/// Runs LLVM's pipeline of -O`opt_level` over `module`; in the fast tier a short one, unless `opt_level` is 0. With
/// `of_threads` there is no SLP vectorization: such kernels use vectors already. Only addresses would be left to
/// vectorize, and loads wait for them.
void optimize(llvm::Module& module, llvm::TargetMachine& machine, unsigned opt_level, Tier tier, bool of_threads);

/// Returns `module` as a relocatable ELF object, after `write_frame_sizes`.
Result<std::string> emit_object(llvm::Module& module, llvm::TargetMachine& machine);

/// Writes the sum of all frame sizes in `object` into the kmux_cpu_kernel of each kernel. No function that runs blocks
/// is recursive, so a launch needs no more stack than that.
///
/// Errors: internal if `object` is damaged.
Status write_frame_sizes(std::string& object);

/// Redirects LLVM's messages about modules of `context` to `log` from now on. Sets `names_lines` to true if this
/// plugin's own code reports a message, which can name a line of the sources.
///
/// Lifetime: borrows `log` and `names_lines`, which must be valid as long as `context` is used. Clang leaves a handler
///           that points into the finished front end, so call this after it.
void capture_messages(llvm::LLVMContext& context, std::string& log, bool& names_lines);

/// Redirects the calls of mathematical functions in `modules` to definitions that the optimiser can inline and
/// vectorise. These have separate names. Returns the C functions whose calls were redirected. Functions that a module
/// defines itself are not redirected.
///
/// A call of the C library takes one number, which keeps a loop from being vectorised.
std::set<std::string> redirect_math(const std::vector<std::unique_ptr<llvm::Module>>& modules);

/// Returns C++ text that defines the functions for the calls of `redirect_math`: the device mathematics of dialect
/// cuda, with errors of at most two units in the last place.
std::string math_unit(const std::set<std::string>& functions);

/// Returns the result of the mathematical C function `name` (exp, without the f of expf) for `arguments`, rounded once
/// to `type`. Returns null for other functions, for types other than float and double, and if the result is infinite or
/// NaN.
llvm::ConstantFP* constant_math(llvm::StringRef name, llvm::ArrayRef<double> arguments, llvm::Type& type);

/// Folds calls of device mathematics with constant arguments. `module` must be as Clang made it, with each call in
/// place.
void fold_mathematics(llvm::Module& module);

// This plugin's own passes in the pipeline.

/// Splits a loop with a branch on the iteration number, `for (i = 0; i < n; ++i) if (i < m) A; else B;`, into one loop
/// up to m and one from m on. Neither has the branch. A vectoriser would compute both sides, masked.
struct SplitLoops : llvm::PassInfoMixin<SplitLoops> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

/// Stores a vector of integers directly if the code stores its pieces, made by shifting, truncating and interleaving.
/// All pieces must be stored, in the order of memory. The vectoriser produces such code for loops that split integers
/// into bytes.
struct JoinBytes : llvm::PassInfoMixin<JoinBytes> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

/// Replaces a masked access whose mask is constant and covers the first elements by a shorter access without a mask. A
/// processor forwards a store only to a load that is not wider.
struct NarrowMasks : llvm::PassInfoMixin<NarrowMasks> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace kmux::cpu
