#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace kmux::simt {

/// The metadata kind of shared variables. All copies of one source variable have the same node, which holds its name if
/// that is known.
inline constexpr const char* kSharedMark = "kmux.variable";

/// Returns true if `text`, of an annotation in the source, marks its variable as shared.
bool is_shared_annotation(const llvm::Constant& text);

/// Returns the variables of `function` that an annotation or kSharedMark marks as shared.
std::vector<llvm::AllocaInst*> shared_variables(llvm::Function& function);

/// Erases those annotations from `function`, and the lifetime markers of its variables.
void erase_annotations(llvm::Function& function);

/// Returns the insertion point after the variables of `kernel`. These must stay in the entry block to become scalars.
llvm::Instruction* behind_variables(llvm::Function& kernel);

/// Replaces arrays without extent in `function` by calls of call::kDynamic, which return the dynamic shared memory.
void place_dynamic(llvm::Function& function);

/// Replaces shared variables at namespace scope, and static ones in functions, by variables of the functions that use
/// them. As with other shared variables, each block has one instance.
void place_shared_globals(llvm::Module& module);

/// A static shared variable of device code.
struct SharedVariable {
  std::string name;
  std::uint64_t bytes;
  std::uint64_t alignment;
  std::vector<const llvm::Function*> functions;  // that use it
};

/// Replaces the shared variables of `functions`, which must not be inlined yet, by calls with their numbers, and the
/// dynamic shared memory by calls. Each is one variable however often its function is called. Returns the variables in
/// the order of their numbers.
std::vector<SharedVariable> number_shared(std::span<llvm::Function* const> functions);

}  // namespace kmux::simt
