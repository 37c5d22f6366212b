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

/// Registers LLVM's native target. Every entry to LLVM's code generator calls it first.
///
/// Threads: any; does its work once.
void initialize_llvm();

/// All of a job as one module.
struct LinkedModule {
  std::unique_ptr<llvm::Module> module;
  std::vector<Error> on_fibers;  // as CompiledObject has them
  std::vector<std::string> variables;  // likewise
};

/// Joins the modules of the units and of the launcher; afterwards only the entry of `job` is visible. Kernels that are written
/// for one thread of a GPU become functions that run a grid.
///
/// Arguments that the launcher passes as integers and a kernel takes as floating-point numbers of the same width
/// (unsigned short for _Float16) are passed by their bits, and so is what a kernel takes as a record; a bool may be taken as a byte.
/// Errors: compile_failed for a kernel that is not defined, and if two units define the same function; invalid_argument for
///         a kernel of another type than the launcher calls it with.
Result<LinkedModule> link_modules(std::vector<std::unique_ptr<llvm::Module>> units,
                                  std::unique_ptr<llvm::Module> launcher, const CompileJob& job,
                                  const std::string& log);

/// Do the launches of `job` pass what its kernels take, as Clang has compiled them? A kernel that is not there is not compared.
///
/// Errors: invalid_argument that names the kernel and shows both; unsupported for a parameter of a type that device/ refuses.
Status check_passed(const llvm::Module& units, const CompileJob& job);

/// Returns how many parameters, from `argument` on, are one of the source: a record by value may come in several.
unsigned record_parts(const llvm::Argument& argument);
/// Returns the size in bytes of the record by value of which `argument` is all or the first part; 0 where it is none.
unsigned source_bytes(const llvm::Argument& argument);
/// Returns the alignment of that record.
llvm::Align source_alignment(const llvm::Argument& argument);

/// Makes the kernels of `job` that run on grids take each structure of a launch by its address, instead of by the calling
/// convention. Each thread has a copy of a structure that its kernel may write.
void take_structures(llvm::Module& units, const CompileJob& job);

/// Of each parameter of `kernel` how many bytes the record has that it is by value, in registers; 0 where it is none. Empty without one.
std::vector<unsigned> record_bytes(const llvm::Function* kernel);

/// Can the calls of `declared` be calls of `kernel`, whose last parameters are such `records` in its source?
bool can_call(const llvm::Function& declared, const llvm::Function& kernel, const std::vector<unsigned>& records);

/// Gives the calls of `declared`, which can be calls of a function of type `taken`, its parameter types.
void adapt_calls(llvm::Function& declared, llvm::FunctionType& taken);

/// Gives each constant of a program, which the variable `constant_symbol` points to (builder.cpp), that name. From here on it stays
/// visible to who links: what is set from outside cannot be computed with in advance.
///
/// Errors: compile_failed where the sources have none; invalid_argument for a const one, and for another size.
Status name_constants(llvm::Module& module, const std::vector<Constant>& constants);

/// The names of the variables of `module` that its own functions may write, and that last as long as it is loaded: sorted, and
/// without those that are __shared__ or __constant__. `module` is as Clang made it.
std::vector<std::string> written_variables(const llvm::Module& module);

/// The code generator for `cpu`, position-independent.
///
/// Errors: internal if LLVM was built without this machine's target.
Result<std::unique_ptr<llvm::TargetMachine>> make_target_machine(const std::string& cpu, unsigned opt_level, Tier tier);

/// Runs LLVM's pipeline of -O`opt_level` over `module`; in the fast tier a short one, unless `opt_level` is 0. What a kernel
/// `of_threads` does on vectors is vectors already: addresses are all that is left to put into some, and loads wait for them.
void optimize(llvm::Module& module, llvm::TargetMachine& machine, unsigned opt_level, Tier tier, bool of_threads);

/// `module` as a relocatable ELF object, with `write_frame_sizes`.
Result<std::string> emit_object(llvm::Module& module, llvm::TargetMachine& machine);

/// Writes into the kmux_cpu_kernel of each kernel in `object` what the frames of all its functions come to. No
/// function that runs blocks calls itself, so that a launch needs no more of a stack.
///
/// Errors: internal if `object` is damaged.
Status write_frame_sizes(std::string& object);

/// Sends what LLVM says about modules of `context` to `log` from now on. `names_lines`: is there anything of this plugin's own that
/// lines of the sources belong to?
///
/// Lifetime: borrows `log` and `names_lines`. Clang leaves a handler that points into the finished front end, so call this after it.
void capture_messages(llvm::LLVMContext& context, std::string& log, bool& names_lines);

/// Sends the calls of mathematical functions in `modules` to definitions that the optimiser can inline and vectorise, under
/// names of their own; returns the C functions that are called so now. A function that a module defines itself stays its own.
///
/// A library's function is one call a number, which keeps a loop from being vectorised.
std::set<std::string> redirect_math(const std::vector<std::unique_ptr<llvm::Module>>& modules);

/// C++ text that defines what `redirect_math` has called: the device mathematics of dialect cuda, with errors of at most two
/// units in the last place.
std::string math_unit(const std::set<std::string>& functions);

/// What the function `name` of C's mathematics (exp, without the f of expf) gives for `arguments`, rounded once to `type`, float or
/// double. Null for other functions, for arguments that are no numbers, and where the result is infinite or none.
llvm::ConstantFP* constant_math(llvm::StringRef name, llvm::ArrayRef<double> arguments, llvm::Type& type);

/// Puts numbers in the place of device mathematics of constants. `module` is as it comes from Clang: each call is still one.
void fold_mathematics(llvm::Module& module);

// Passes of ours in the pipeline.

/// Where the number of the iteration decides what a loop does, `for (i = 0; i < n; ++i) if (i < m) A; else B;`, makes two loops
/// of it, one up to m and one from there, neither of which asks. A vectoriser would compute both sides, masked.
struct SplitLoops : llvm::PassInfoMixin<SplitLoops> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

/// What is stored of a vector's integers piece by piece, by shifting, truncating and interleaving, is stored as it is, if the
/// pieces are all there and in the order of memory. So the vectoriser leaves loops that take integers apart into bytes.
struct JoinBytes : llvm::PassInfoMixin<JoinBytes> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

/// What a mask that is known lets through of memory, if it is the first elements, is as many elements without a mask: a
/// processor hands what has just been stored to a load that is not wider.
struct NarrowMasks : llvm::PassInfoMixin<NarrowMasks> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace kmux::cpu
