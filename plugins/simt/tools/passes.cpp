// SPDX-License-Identifier: Apache-2.0
#include "simt/tools/passes.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Verifier.h"
#include "simt/analysis/branches.h"
#include "simt/analysis/code_check.h"
#include "simt/analysis/divergence.h"
#include "simt/analysis/grid_rows.h"
#include "simt/analysis/lane_values.h"
#include "simt/analysis/thread_calls.h"
#include "simt/analysis/waiting_loops.h"
#include "simt/check/fiber_kernels.h"
#include "simt/codegen/target_machine.h"
#include "simt/frontend/installation.h"
#include "simt/pipeline.h"
#include "simt/transforms/broadcast_barriers.h"
#include "simt/transforms/defined_arithmetic.h"
#include "simt/transforms/endless_loops.h"
#include "simt/transforms/inline_assembly.h"
#include "simt/transforms/inline_calls.h"
#include "simt/transforms/join_values.h"
#include "simt/transforms/lockstep.h"
#include "simt/transforms/notes.h"
#include "simt/transforms/ordered_sums.h"
#include "simt/transforms/prefetches.h"
#include "simt/transforms/private_arrays.h"
#include "simt/transforms/scalar_form.h"
#include "simt/transforms/scales.h"
#include "simt/transforms/shared_forwarding.h"
#include "simt/transforms/shared_variables.h"
#include "simt/transforms/split_loops.h"
#include "simt/transforms/stack_alignment.h"
#include "simt/transforms/structurize.h"
#include "simt/transforms/thread_indices.h"
#include "simt/transforms/tiles.h"
#include "simt/transforms/uniform_paths.h"
#include "simt/transforms/unroll_barrier_loops.h"
#include "simt/transforms/vector_memory.h"
#include "simt/transforms/vectorize.h"

namespace kmux::simt::tools {
namespace {

std::vector<llvm::Function*> defined_in(llvm::Module& module) {
  std::vector<llvm::Function*> found;
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) found.push_back(&function);
  }
  return found;
}

// Returns the shape of the blocks of `kernel`.
BlockShape shape_of(const llvm::Function& kernel, const PassContext& context) {
  BlockShape shape = BlockShape::of(context.block, seen_warp(kernel), seen_row(kernel));
  if (context.lanes) {
    shape.lanes = *context.lanes;
    if (context.block[0] != 0 && context.block[0] % shape.lanes == 0) shape.order = BlockShape::Order::kRows;
  }
  shape.warps = context.warps;
  return shape;
}

// Calls `step` with each function that `module` has now, and analyses for divergent lanes.
template <class Step>
Status for_each_function(llvm::Module& module, const PassContext& context, Step step) {
  for (llvm::Function* const function : defined_in(module)) {
    DivergentAnalyses analyses(context.warps > 1);
    KMUX_TRY(step(*function, analyses.functions));
    analyses.functions.clear();
  }
  return Ok{};
}

template <class Pass>
Status run_on_functions(llvm::Module& module, const PassContext& context) {
  return for_each_function(module, context,
                           [&](llvm::Function& function, llvm::FunctionAnalysisManager& analyses) -> Status {
                             if constexpr (std::is_constructible_v<Pass, BlockShape>) {
                               Pass(shape_of(function, context)).run(function, analyses);
                             } else if constexpr (std::is_constructible_v<Pass, bool>) {
                               Pass(context.warps > 1).run(function, analyses);
                             } else {
                               Pass().run(function, analyses);
                             }
                             return Ok{};
                           });
}

template <class Pass>
Status run_on_module(llvm::Module& module, const PassContext&) {
  Analyses analyses;
  analyses.complete();
  Pass().run(module, analyses.modules);
  return Ok{};
}

template <void (*kStep)(llvm::Module&)>
Status apply(llvm::Module& module, const PassContext&) {
  kStep(module);
  return Ok{};
}

std::string cpu_of(const PassContext& context) { return context.cpu.empty() ? host_cpu().name : context.cpu; }

Status lower_scales(llvm::Module& module, const PassContext& context) {
  KMUX_ASSIGN(const auto machine, make_target_machine(cpu_of(context), 3, Tier::kFull));
  Analyses analyses;
  analyses.complete();
  ScalesPass(*machine).run(module, analyses.modules);
  return Ok{};
}

Status run_inline_calls(llvm::Module& module, const PassContext& context) {
  return for_each_function(module, context,
                           [](llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses) -> Status {
                             KMUX_TRY(inline_calls(kernel, analyses));
                             return Ok{};
                           });
}

Status run_check_waits(llvm::Module& module, const PassContext& context) {
  return for_each_function(module, context, check_waits);
}

Status run_uniform_paths(llvm::Module& module, const PassContext& context) {
  return for_each_function(module, context, add_uniform_paths);
}

Status run_vectorize(llvm::Module& module, const PassContext& context) {
  return for_each_function(
      module, context, [&](llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses) -> Status {
        const BlockShape shape = shape_of(kernel, context);
        KMUX_ASSIGN(llvm::Function* const warp, vectorize(kernel, shape.lanes, shape.warps, analyses));
        const std::string name = kernel.getName().str();
        kernel.eraseFromParent();
        warp->setName(name);
        return Ok{};
      });
}

// Prints why a kernel is not vectorized, as a comment.
Status run_grid(llvm::Module& module, const PassContext& context) {
  BlockExtents kernels;
  for (const llvm::Function* const kernel : defined_in(module)) kernels[kernel->getName().str()] = context.block;
  KMUX_ASSIGN(const std::vector<Error> reasons, lower_kernels(module, kernels, {}));
  for (const Error& reason : reasons) context.out << "; on fibers: " << reason.message << "\n";
  return Ok{};
}

Status run_fibers(llvm::Module& module, bool is_checked) {
  const std::vector<llvm::Function*> kernels = defined_in(module);
  return run_on_fibers(kernels, {.memory = is_checked});
}

// LLVM's passes do not check what they are given.
Status run_optimize(llvm::Module& module, const PassContext& context) {
  for (const llvm::Function* const function : defined_in(module))
    KMUX_TRY(check_code(*function, "function \"" + function->getName().str() + "\" is invalid"));
  KMUX_ASSIGN(const auto machine, make_target_machine(cpu_of(context), 3, Tier::kFull));
  module.setDataLayout(machine->createDataLayout());
  module.setTargetTriple(machine->getTargetTriple().str());
  for (llvm::Function& function : module) function.addFnAttr("target-cpu", cpu_of(context));
  optimize(module, *machine, 3, Tier::kFull, false);
  return Ok{};
}

const char* name_of(LaneValue::Kind kind) {
  constexpr const char* kNames[] = {"unknown", "uniform", "strided", "varying"};
  return kNames[static_cast<unsigned>(kind)];
}

Status print_lane_values(llvm::Module& module, const PassContext& context) {
  return for_each_function(module, context,
                           [&](llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses) -> Status {
                             const LaneValues values(kernel, analyses.getResult<llvm::UniformityInfoAnalysis>(kernel),
                                                     shape_of(kernel, context).lanes, {});
                             for (const llvm::Instruction& one : llvm::instructions(kernel)) {
                               if (!one.hasName()) continue;
                               const LaneValue value = values.of(&one);
                               context.out << "; %" << one.getName() << ": " << name_of(value.kind);
                               if (value.kind == LaneValue::Kind::kStrided) context.out << " " << value.stride;
                               context.out << "\n";
                             }
                             return Ok{};
                           });
}

Status print_branches(llvm::Module& module, const PassContext& context) {
  return for_each_function(
      module, context, [&](llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses) -> Status {
        KMUX_ASSIGN(const Branches branches,
                    Branches::find(kernel, analyses.getResult<llvm::UniformityInfoAnalysis>(kernel)));
        for (const Split& split : branches.splits()) context.out << "; divergent: %" << split.region->getName() << "\n";
        context.out << "; " << kernel.getName() << ": " << branches.splits().size() << " divergent branches\n";
        return Ok{};
      });
}

Status print_grid_rows(llvm::Module& module, const PassContext& context) {
  for (llvm::Function* const kernel : defined_in(module)) {
    const bool is_by_rows = runs_row_by_row(*kernel, shape_of(*kernel, context));
    context.out << "; " << kernel->getName() << ": " << (is_by_rows ? "row by row" : "block by block") << "\n";
  }
  return Ok{};
}

Status print_lockstep(llvm::Module& module, const PassContext& context) {
  return for_each_function(
      module, context, [&](llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses) -> Status {
        KMUX_ASSIGN(const unsigned warps, lockstep_warps(kernel, shape_of(kernel, context), analyses));
        context.out << "; " << kernel.getName() << ": " << warps << " warps in lockstep\n";
        return Ok{};
      });
}

Status print_block_shape(llvm::Module& module, const PassContext& context) {
  for (llvm::Function* const kernel : defined_in(module)) {
    context.out << "; " << kernel->getName() << ": rows of " << seen_row(*kernel) << ", "
                << shape_of(*kernel, context).lanes << " lanes\n";
  }
  return Ok{};
}

constexpr NamedPass kPasses[] = {
    {"define-arithmetic", "defines division by zero, oversized shifts and bools", apply<define_arithmetic>},
    {"replace-assembly", "replaces inline PTX by LLVM IR", apply<replace_assembly>},
    {"erase-notes", "erases notes for checks", apply<erase_notes>},
    {"shared-globals", "moves shared variables at namespace scope into functions", apply<place_shared_globals>},
    {"inline-calls", "inlines all calls, and replaces shared variables by offsets", run_inline_calls},
    {"erase-warp-barriers", "erases warp barriers", run_on_functions<EraseWarpBarriersPass>},
    {"thread-indices", "replaces thread indices by warp and lane", run_on_functions<ThreadIndicesPass>},
    {"endless-loop-exits", "adds exits to endless loops", run_on_functions<EndlessLoopExitsPass>},
    {"unroll-barrier-loops", "unrolls loops with barriers", run_on_functions<UnrollBarrierLoopsPass>},
    {"expand-vector-casts", "expands bitcasts of vectors", run_on_functions<ExpandVectorCastsPass>},
    {"structurize", "structurizes control flow", run_on_functions<StructurizePass>},
    {"expand-casts", "expands saturating casts", run_on_functions<ExpandCastsPass>},
    {"check-waits", "refuses loops that wait for other threads", run_check_waits},
    {"broadcast-barriers", "adds barriers behind broadcasts", run_on_functions<BroadcastBarriersPass>},
    {"uniform-paths", "duplicates divergent regions for uniform lanes", run_uniform_paths},
    {"vectorize", "makes the function of a warp", run_vectorize},
    {"shared-forwarding", "forwards stores to shared memory", run_on_functions<SharedForwardingPass>},
    {"prefetch", "prefetches for grid-stride loops", run_on_functions<PrefetchPass>},
    {"tile-prefetch", "prefetches and packs tiles", run_on_functions<TilePrefetchPass>},
    {"join-values", "merges values that warps share", run_on_functions<JoinValuesPass>},
    {"grid", "all of the above: makes functions that run a grid", run_grid},
    {"fibers", "runs a thread as a fiber",
     [](llvm::Module& module, const PassContext&) { return run_fibers(module, false); }},
    {"fibers-check", "the same with checks",
     [](llvm::Module& module, const PassContext&) { return run_fibers(module, true); }},
    {"scales", "lowers scales by powers of two", lower_scales},
    {"stack-alignment", "aligns arrays on the stack", run_on_module<StackAlignmentPass>},
    {"split-loops", "splits loops at compares of their index", run_on_functions<SplitLoopsPass>},
    {"narrow-masks", "narrows accesses with constant masks", run_on_functions<NarrowMasksPass>},
    {"ordered-sums", "keeps plain ordered sums scalar", run_on_functions<OrderedSumsPass>},
    {"join-bytes", "joins stores of bytes", run_on_functions<JoinBytesPass>},
    {"private-arrays", "moves large private arrays off the stack", run_on_module<PrivateArraysPass>},
    {"optimize", "LLVM's pipeline with the passes above", run_optimize},
    {"print-lane-values", "prints values over lanes", print_lane_values},
    {"print-branches", "prints divergent branches", print_branches},
    {"print-grid-rows", "prints whether blocks run row by row", print_grid_rows},
    {"print-lockstep", "prints how many warps run in lockstep", print_lockstep},
    {"print-block-shape", "prints the lanes of a warp", print_block_shape},
};

Status run_llvm(llvm::StringRef pipeline, llvm::Module& module, const PassContext& context) {
  return for_each_function(
      module, context, [&](llvm::Function& function, llvm::FunctionAnalysisManager& analyses) -> Status {
        llvm::FunctionPassManager passes;
        llvm::PassBuilder builder;
        if (llvm::Error error = builder.parsePassPipeline(passes, pipeline)) {
          return make_error(ErrorCode::kInvalidArgument, "there is no pass \"" + pipeline.str() + "\" (" +
                                                             llvm::toString(std::move(error)) +
                                                             "). See kmux-opt --help.");
        }
        passes.run(function, analyses);
        return Ok{};
      });
}

}  // namespace

std::span<const NamedPass> named_passes() { return kPasses; }

Status run_pass(llvm::StringRef name, llvm::Module& module, const PassContext& context) {
  const auto* const own = std::ranges::find(kPasses, name, &NamedPass::name);
  KMUX_TRY(own == std::end(kPasses) ? run_llvm(name, module, context) : own->run(module, context));
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (!llvm::verifyModule(module, &stream)) return Ok{};
  return make_error(ErrorCode::kInternal, "pass \"" + name.str() + "\" made an invalid module. Report it.")
      .with("log", text);
}

}  // namespace kmux::simt::tools
