// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>

#include "kmux/error.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "simt/analysis/block_shape.h"

namespace kmux::simt::tools {

/// What passes need besides the module.
struct PassContext {
  KnownExtents block = {};  // of each kernel
  std::optional<unsigned> lanes = {};  // none: as the pipeline chooses
  unsigned warps = 1;  // in lockstep
  std::string cpu = {};  // LLVM's name; empty: this machine's
  llvm::raw_ostream& out;  // for analyses that print
};

/// A pass of the compiler by its name for `kmux-opt`.
struct NamedPass {
  llvm::StringLiteral name;
  llvm::StringLiteral summary;
  Status (*run)(llvm::Module& module, const PassContext& context);
};

/// Returns the passes, in the order of the pipeline, then the analyses that print.
std::span<const NamedPass> named_passes();

/// Runs `name` on `module`: one of `named_passes`, or a pipeline of LLVM's own function passes.
///
/// Errors: those of the pass; invalid_argument for a name that neither knows; internal if LLVM's verifier finds the
///         result invalid.
Status run_pass(llvm::StringRef name, llvm::Module& module, const PassContext& context);

}  // namespace kmux::simt::tools
