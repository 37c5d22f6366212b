#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace llvm {
class Module;
}  // namespace llvm

namespace kmux::cpu {

/// Sends the calls of mathematical functions in `modules` to definitions that the optimiser can inline and vectorise, under
/// names of their own; returns the C functions that are called so now. A function that a module defines itself stays its own.
///
/// A library's function is one call a number, which keeps a loop from being vectorised.
std::set<std::string> redirect_math(const std::vector<std::unique_ptr<llvm::Module>>& modules);

/// C++ text that defines what `redirect_math` has called: the device mathematics of dialect cuda, with errors of at most two
/// units in the last place.
std::string math_unit(const std::set<std::string>& functions);

}  // namespace kmux::cpu
