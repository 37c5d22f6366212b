#include "check/fiber_kernels.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "spmd/divergence.h"
#include "spmd/steps.h"

namespace kmux::cpu::spmd {
namespace {

Status check(const llvm::Function& function, const char* step) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (!llvm::verifyFunction(function, &stream)) return Ok{};
  return make_error(ErrorCode::kInternal, "the code for this processor is broken after \"" + std::string(step) +
                                              "\" (kernel \"" + function.getName().str() + "\"). Report it.")
      .with("log", text);
}

/// The function for a warp, or for all those in step.
struct Warp {
  llvm::Function* function = nullptr;  // null: warps are not to run in step
  BlockShape shape;
};

// Widens `kernel`, which is of no use afterwards. `in_step`: for as many warps in step as are of use.
Result<Warp> widened(llvm::Function& kernel, BlockShape shape, bool in_step) {
  DivergentAnalyses analyses(in_step);
  place_threads(kernel, shape);
  KMUX_TRY(check(kernel, "threads"));
  structure(kernel, analyses.functions, in_step);
  expand_casts(kernel);
  KMUX_TRY(check_scalars(kernel));
  KMUX_TRY(check(kernel, "structure"));
  if (in_step) {
    KMUX_ASSIGN(shape.warps, warps_in_step(kernel, shape, analyses.functions));
    if (shape.warps == 1) return Warp{};
  }
  KMUX_TRY(add_fast_paths(kernel, analyses.functions));
  KMUX_TRY(check(kernel, "fast paths"));
  KMUX_ASSIGN(llvm::Function* const warp, widen(kernel, shape.lanes, shape.warps, analyses.functions));
  KMUX_TRY(check(*warp, "widen"));
  return Warp{warp, shape};
}

// Warps in step if that is right and of use; else one after another.
Result<Warp> best_widened(llvm::Function& kernel, const BlockShape& shape) {
  if (may_run_in_step(kernel, shape)) {
    llvm::ValueToValueMapTy map;
    llvm::Function* const copy = llvm::CloneFunction(&kernel, map);
    auto warp = widened(*copy, shape, true);
    copy->eraseFromParent();
    if (warp ? warp->function != nullptr : warp.error().code != ErrorCode::kUnsupported) return warp;
  }
  return widened(kernel, shape, false);
}

Status lower(llvm::Function& kernel, const KnownExtents& extents) {
  DivergentAnalyses analyses(false);
  KMUX_ASSIGN(const std::uint64_t shared_bytes, join_calls(kernel, analyses.functions));
  analyses.functions.clear();
  KMUX_ASSIGN(const Warp warp, best_widened(kernel, BlockShape::of(extents, seen_warp(kernel))));
  add_prefetches(*warp.function, warp.shape);
  ask_for_tiles(*warp.function, warp.shape);
  KMUX_TRY(check(*warp.function, "prefetches"));
  add_entries(kernel, *warp.function, warp.shape, shared_bytes);
  warp.function->eraseFromParent();
  kernel.eraseFromParent();
  return Ok{};
}

// A copy of `kernel`, which is `name`, takes its place.
llvm::Function* restore(llvm::Function* copy, const std::string& name) {
  llvm::Function* const rest = copy->getParent()->getFunction(name);
  copy->takeName(rest);
  rest->replaceAllUsesWith(copy);
  rest->eraseFromParent();
  return copy;
}

// Widens `kernel`. Where that cannot be done, it is as it was.
Result<std::optional<Error>> try_lower(llvm::Function*& kernel, const KnownExtents& extents) {
  const std::string name = kernel->getName().str();
  llvm::ValueToValueMapTy map;
  llvm::Function* const copy = llvm::CloneFunction(kernel, map);
  Status status = lower(*kernel, extents);
  if (status) {
    copy->eraseFromParent();
    return std::optional<Error>();
  }
  kernel = restore(copy, name);
  if (status.error().code != ErrorCode::kUnsupported) return std::move(status).error();
  return std::optional<Error>(std::move(status).error());
}

}  // namespace

Result<std::vector<Error>> lower_kernels(llvm::Module& module, const BlockExtents& kernels, const CheckOptions& check) {
  std::vector<llvm::Function*> on_fibers;
  std::vector<Error> reasons;
  for (const auto& [name, extents] : kernels) {
    llvm::Function* kernel = module.getFunction(name);
    if (kernel == nullptr || kernel->isDeclaration()) continue;
    if (!check.memory) {
      KMUX_ASSIGN(std::optional<Error> why, try_lower(kernel, extents));
      if (!why) continue;
      reasons.push_back(std::move(*why));
    }
    on_fibers.push_back(kernel);
  }
  KMUX_TRY(run_on_fibers(on_fibers, check));
  return reasons;
}

}  // namespace kmux::cpu::spmd
