#include "simt/pipeline.h"

#include <algorithm>

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "simt/analysis/block_shape.h"
#include "simt/analysis/call_graph.h"
#include "simt/analysis/code_check.h"
#include "simt/analysis/divergence.h"
#include "simt/analysis/names.h"
#include "simt/analysis/thread_calls.h"
#include "simt/analysis/waiting_loops.h"
#include "simt/check/check_options.h"
#include "simt/check/fiber_kernels.h"
#include "simt/frontend/job.h"
#include "simt/transforms/blocks.h"
#include "simt/transforms/broadcast_barriers.h"
#include "simt/transforms/clusters.h"
#include "simt/transforms/defined_arithmetic.h"
#include "simt/transforms/inline_calls.h"
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
#include "simt/transforms/vector_memory.h"
#include "simt/transforms/vectorize.h"

namespace kmux::simt {
namespace {

Status check(const llvm::Function& function, const char* step) {
  return check_code(function, "the code for this processor is broken after \"" + std::string(step) + "\" (kernel \"" +
                                  function.getName().str() + "\")");
}

/// The function for a warp, or for all warps in lockstep.
struct Warp {
  llvm::Function* function = nullptr;  // null: warps should not run in lockstep
  BlockShape shape;
};

// Vectorizes `kernel`, which the caller must discard afterwards. `in_lockstep`: for as many warps in lockstep as pay
// off.
Result<Warp> vectorized(llvm::Function& kernel, BlockShape shape, bool in_lockstep) {
  DivergentAnalyses analyses(in_lockstep);
  ThreadIndicesPass(shape).run(kernel, analyses.functions);
  KMUX_TRY(check(kernel, "threads"));
  StructurizePass(in_lockstep).run(kernel, analyses.functions);
  ExpandCastsPass().run(kernel, analyses.functions);
  KMUX_TRY(check_scalars(kernel));
  KMUX_TRY(check(kernel, "structurize"));
  KMUX_TRY(check_waits(kernel, analyses.functions));
  if (in_lockstep) {
    KMUX_ASSIGN(shape.warps, lockstep_warps(kernel, shape, analyses.functions));
    if (shape.warps == 1) return Warp{};
  }
  BroadcastBarriersPass(shape).run(kernel, analyses.functions);
  KMUX_TRY(add_uniform_paths(kernel, analyses.functions));
  KMUX_TRY(check(kernel, "uniform paths"));
  KMUX_ASSIGN(llvm::Function* const warp, vectorize(kernel, shape.lanes, shape.warps, analyses.functions));
  KMUX_TRY(check(*warp, "vectorize"));
  return Warp{warp, shape};
}

// Runs warps in lockstep if that is possible and pays off; else one after another.
Result<Warp> best_vectorized(llvm::Function& kernel, const BlockShape& shape) {
  if (may_run_in_lockstep(kernel, shape)) {
    llvm::ValueToValueMapTy map;
    llvm::Function* const copy = llvm::CloneFunction(&kernel, map);
    auto warp = vectorized(*copy, shape, true);
    copy->eraseFromParent();
    if (warp ? warp->function != nullptr : warp.error().code != ErrorCode::kUnsupported) return warp;
  }
  return vectorized(kernel, shape, false);
}

// Adds the kernel's kmux_cpu_kernel (runtime/launch.h). Launches, and later passes over the code, set its last fields.
llvm::GlobalVariable& add_facts(llvm::Module& module, llvm::StringRef name, const BlocksFunction& blocks,
                                const BlockShape& shape, std::uint64_t shared_bytes) {
  llvm::Type* const i32 = llvm::Type::getInt32Ty(module.getContext());
  llvm::Type* const i64 = llvm::Type::getInt64Ty(module.getContext());
  llvm::Type* const ptr = llvm::PointerType::get(module.getContext(), 0);
  llvm::StructType* const type =
      llvm::StructType::get(module.getContext(), {ptr, i64, i64, i32, i32, i32, i32, i64, i64});
  llvm::Constant* const fields[] = {&blocks.function,
                                    llvm::ConstantInt::get(i64, shared_bytes),
                                    llvm::ConstantInt::get(i64, blocks.frame_bytes),
                                    llvm::ConstantInt::get(i32, llvm::Log2_32(shape.lanes)),
                                    llvm::ConstantInt::get(i32, blocks.is_cooperative ? 1 : 0),
                                    llvm::ConstantInt::get(i32, blocks.column_rows),
                                    llvm::ConstantInt::get(i32, 0),
                                    llvm::ConstantInt::get(i64, 0),
                                    llvm::ConstantInt::get(i64, 0)};
  auto* const facts = new llvm::GlobalVariable(module, type, /*isConstant=*/false, llvm::GlobalValue::InternalLinkage,
                                               llvm::ConstantStruct::get(type, fields), name + kFactsOfBlocks);
  facts->setAlignment(llvm::Align(64));
  return *facts;
}

// Writes the function that the launcher calls like a kernel of dialect c.
void write_start(llvm::Function& kernel, const BlocksFunction& blocks, llvm::StructType* arguments,
                 const BlockShape& shape, std::uint64_t shared_bytes) {
  llvm::IRBuilder<> builder(kernel.getContext());
  llvm::Type* const i32 = builder.getInt32Ty();
  llvm::Type* const ptr = builder.getPtrTy();
  llvm::SmallVector<llvm::Type*> types{ptr};
  types.append(arguments->element_begin(), arguments->element_end());
  auto* const start = llvm::Function::Create(llvm::FunctionType::get(i32, types, false),
                                             llvm::GlobalValue::ExternalLinkage, "", kernel.getParent());
  start->addFnAttrs(llvm::AttrBuilder(kernel.getContext(), kernel.getAttributes().getFnAttrs()));
  start->removeFnAttr(llvm::Attribute::Memory);
  start->takeName(&kernel);
  builder.SetInsertPoint(llvm::BasicBlock::Create(kernel.getContext(), "entry", start));
  llvm::Value* const packed = builder.CreateAlloca(arguments);
  for (unsigned i = 0; i < arguments->getNumElements(); ++i) {
    builder.CreateStore(start->getArg(i + 1), builder.CreateStructGEP(arguments, packed, i));
  }
  const auto run =
      kernel.getParent()->getOrInsertFunction("kmux_cpu_run", llvm::FunctionType::get(i32, {ptr, ptr, ptr}, false));
  auto& facts = add_facts(*kernel.getParent(), start->getName(), blocks, shape, shared_bytes);
  builder.CreateRet(builder.CreateCall(run, {start->getArg(0), &facts, packed}));
}

// Creates from `warp` the two functions by which a launcher starts `kernel`.
Status add_entries(llvm::Function& kernel, llvm::Function& warp, const BlockShape& shape, std::uint64_t shared_bytes) {
  llvm::SmallVector<llvm::Type*> types(kernel.getFunctionType()->params());
  llvm::StructType* const arguments = llvm::StructType::get(kernel.getContext(), types);
  const BlocksFunction blocks = add_blocks(kernel, warp, *arguments, shape, shared_bytes);
  write_start(kernel, blocks, arguments, shape, shared_bytes);
  return check(blocks.function, "blocks");
}

const llvm::Instruction* unit_call_in(const llvm::Function& function) {
  const auto all = llvm::instructions(function);
  const auto found = std::ranges::find_if(all, [](const auto& one) { return is_unit_call(&one); });
  return found == all.end() ? nullptr : &*found;
}

// Refuses units of a GPU: their threads wait in divergent regions. Looks into callees, since to make them part of a
// kernel that is refused can take longer than all else.
Status check_units(llvm::Function& kernel) {
  llvm::Function* const whole[] = {&kernel};
  for (const llvm::Function* const function : functions_of(whole)) {
    const llvm::Instruction* const found = unit_call_in(*function);
    if (found == nullptr) continue;
    return make_error(ErrorCode::kUnsupported, "kernel \"" + kernel.getName().str() + "\" uses \"" +
                                                   std::string(called(found).substr(call::kUnit.size())) +
                                                   "\" of a GPU, whose threads cannot run together" +
                                                   location_of(*found));
  }
  return Ok{};
}

Status lower(llvm::Function& kernel, const KnownExtents& extents) {
  DivergentAnalyses analyses(false);
  KMUX_TRY(check_units(kernel));
  KMUX_ASSIGN(const std::uint64_t shared_bytes, inline_calls(kernel, analyses.functions));
  analyses.functions.clear();
  const BlockShape shape = BlockShape::of(extents, seen_warp(kernel), seen_row(kernel));
  EraseWarpBarriersPass().run(kernel, analyses.functions);
  KMUX_ASSIGN(const Warp warp, best_vectorized(kernel, shape));
  SharedForwardingPass(warp.shape).run(*warp.function, analyses.functions);
  KMUX_TRY(check(*warp.function, "shared"));
  PrefetchPass(warp.shape).run(*warp.function, analyses.functions);
  TilePrefetchPass(warp.shape).run(*warp.function, analyses.functions);
  KMUX_TRY(check(*warp.function, "prefetches"));
  KMUX_TRY(add_entries(kernel, *warp.function, warp.shape, shared_bytes));
  warp.function->eraseFromParent();
  kernel.eraseFromParent();
  return Ok{};
}

// Replaces the kernel `name` by `copy`.
llvm::Function* restore(llvm::Function* copy, const std::string& name) {
  llvm::Function* const rest = copy->getParent()->getFunction(name);
  copy->takeName(rest);
  rest->replaceAllUsesWith(copy);
  rest->eraseFromParent();
  return copy;
}

// Vectorizes `kernel`. If that fails, restores it and returns the reason.
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

// Returns null if the module defines no such function.
llvm::Function* defined(const llvm::Module& module, const std::string& name) {
  llvm::Function* const kernel = module.getFunction(name);
  return kernel == nullptr || kernel->isDeclaration() ? nullptr : kernel;
}

std::vector<llvm::Function*> defined(const llvm::Module& module, const BlockExtents& kernels) {
  std::vector<llvm::Function*> found;
  for (const auto& [name, extents] : kernels) {
    if (llvm::Function* const kernel = defined(module, name)) found.push_back(kernel);
  }
  return found;
}

}  // namespace

Result<std::vector<Error>> lower_kernels(llvm::Module& module, const BlockExtents& kernels, const CheckOptions& check) {
  std::vector<llvm::Function*> on_fibers;
  std::vector<Error> reasons;
  if (!check.memory) erase_notes(module);
  place_shared_globals(module);
  mark_pointed(defined(module, kernels));
  for (const auto& [name, extents] : kernels) {
    llvm::Function* kernel = defined(module, name);
    if (kernel == nullptr) continue;
    KMUX_TRY(check_private_arrays(*kernel));
    if (!check.memory) {
      KMUX_ASSIGN(std::optional<Error> why, try_lower(kernel, extents));
      if (!why) continue;
      reasons.push_back(std::move(*why));
    }
    on_fibers.push_back(kernel);
  }
  KMUX_TRY(run_on_fibers(on_fibers, check));
  for (llvm::Function* const start : defined(module, kernels)) apply_cluster(*start);
  return reasons;
}

namespace {

llvm::OptimizationLevel pass_level(unsigned opt_level) {
  switch (opt_level) {
    case 0:
      return llvm::OptimizationLevel::O0;
    case 1:
      return llvm::OptimizationLevel::O1;
    case 2:
      return llvm::OptimizationLevel::O2;
    default:
      return llvm::OptimizationLevel::O3;
  }
}

// The passes of the fast tier: they promote memory to scalars, inline, and hoist work out of loops, each about once.
// They include neither vectoriser nor partial unrolling: LLVM would spend most of its time on the resulting code.
// Callees are simplified before they are inlined: promotion takes time with the square of a function's variables. The
// coroutine passes are not an optimisation: without them there is no code.
constexpr llvm::StringRef kFastPasses =
    "coro-cond(coro-early,cgscc(coro-split),coro-cleanup),"
    "function(sroa,early-cse,simplifycfg),ipsccp,globaldce,"
    "cgscc(inline<only-mandatory>,inline,function(sroa,early-cse,simplifycfg)),globaldce,"
    "function(early-cse<memssa>,instcombine<max-iterations=1;no-verify-fixpoint>,"
    "loop-mssa(loop-rotate,licm),loop(loop-unroll-full),"
    "sroa,early-cse,instcombine<max-iterations=1;no-verify-fixpoint>,simplifycfg)";

llvm::ModulePassManager passes_of(llvm::PassBuilder& builder, unsigned opt_level, Tier tier) {
  const llvm::OptimizationLevel level = pass_level(opt_level);
  if (opt_level == 0) return builder.buildO0DefaultPipeline(level);
  if (tier == Tier::kFull) return builder.buildPerModuleDefaultPipeline(level);
  llvm::ModulePassManager passes;
  llvm::cantFail(builder.parsePassPipeline(passes, kFastPasses));
  return passes;
}

#ifdef NDEBUG
constexpr bool kVerifies = false;
#else
constexpr bool kVerifies = true;
#endif

// Adds LLVM's verifier after the pass in builds with assertions: a finding ends the process.
template <class Pass>
void add_own_pass(llvm::FunctionPassManager& passes, Pass pass) {
  passes.addPass(std::move(pass));
  if (kVerifies) passes.addPass(llvm::VerifierPass());
}

void add_own_passes(llvm::PassBuilder& builder) {
  builder.registerScalarOptimizerLateEPCallback([](llvm::FunctionPassManager& passes, llvm::OptimizationLevel) {
    add_own_pass(passes, SplitLoopsPass());
    add_own_pass(passes, NarrowMasksPass());
  });
  builder.registerVectorizerStartEPCallback(
      [](llvm::FunctionPassManager& passes, llvm::OptimizationLevel) { passes.addPass(OrderedSumsPass()); });
  builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
    llvm::FunctionPassManager own;
    add_own_pass(own, JoinBytesPass());
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(own)));
  });
}

}  // namespace

void optimize(llvm::Module& module, llvm::TargetMachine& machine, unsigned opt_level, Tier tier, bool of_threads) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = opt_level >= 2;
  tuning.SLPVectorization = opt_level >= 2 && !of_threads;
  tuning.LoopUnrolling = tuning.LoopInterleaving = opt_level >= 2;
  Analyses analyses(&machine, tuning);
  const llvm::TargetLibraryInfoImpl library((llvm::Triple(module.getTargetTriple())));
  analyses.functions.registerPass([&] { return llvm::TargetLibraryAnalysis(library); });
  if (tier == Tier::kFull && opt_level >= 2) add_own_passes(analyses.builder);
  analyses.complete();
  for (llvm::Function& function : module) reveal_divisors(function);  // of launchers, and of functions without a caller
  ScalesPass(machine).run(module, analyses.modules);
  if (tier == Tier::kFull && opt_level >= 2) StackAlignmentPass().run(module, analyses.modules);
  if (kVerifies) llvm::VerifierPass().run(module, analyses.modules);
  passes_of(analyses.builder, opt_level, tier).run(module, analyses.modules);
  if (of_threads) PrivateArraysPass().run(module, analyses.modules);
}

}  // namespace kmux::simt
