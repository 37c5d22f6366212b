#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

namespace kmux::simt {

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

}  // namespace kmux::simt
