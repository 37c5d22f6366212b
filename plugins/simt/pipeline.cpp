#include "check/fiber_kernels.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "spmd/divergence.h"
#include "spmd/steps.h"
#include "spmd/thread_calls.h"

namespace kmux::cpu::spmd {
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

// Vectorizes `kernel`, which the caller must discard afterwards. `in_step`: for as many warps in lockstep as pay off.
Result<Warp> widened(llvm::Function& kernel, BlockShape shape, bool in_step) {
  DivergentAnalyses analyses(in_step);
  place_threads(kernel, shape);
  KMUX_TRY(check(kernel, "threads"));
  structure(kernel, analyses.functions, in_step);
  expand_casts(kernel);
  KMUX_TRY(check_scalars(kernel));
  KMUX_TRY(check(kernel, "structure"));
  KMUX_TRY(check_waits(kernel, analyses.functions));
  if (in_step) {
    KMUX_ASSIGN(shape.warps, warps_in_step(kernel, shape, analyses.functions));
    if (shape.warps == 1) return Warp{};
  }
  part_broadcasts(kernel, shape);
  KMUX_TRY(add_fast_paths(kernel, analyses.functions));
  KMUX_TRY(check(kernel, "fast paths"));
  KMUX_ASSIGN(llvm::Function* const warp, widen(kernel, shape.lanes, shape.warps, analyses.functions));
  KMUX_TRY(check(*warp, "widen"));
  return Warp{warp, shape};
}

// Runs warps in lockstep if that is possible and pays off; else one after another.
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

Status lower(llvm::Function& kernel, const KnownExtents& extents) {
  DivergentAnalyses analyses(false);
  KMUX_ASSIGN(const std::uint64_t shared_bytes, join_calls(kernel, analyses.functions));
  analyses.functions.clear();
  const BlockShape shape = BlockShape::of(extents, seen_warp(kernel), seen_row(kernel));
  erase_meetings(kernel);
  KMUX_ASSIGN(const Warp warp, best_widened(kernel, shape));
  forward_shared(*warp.function, warp.shape);
  KMUX_TRY(check(*warp.function, "shared"));
  add_prefetches(*warp.function, warp.shape);
  place_tiles(*warp.function, warp.shape);
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

Status check_code(const llvm::Function& function, const std::string& problem) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (!llvm::verifyFunction(function, &stream)) return Ok{};
  return make_error(ErrorCode::kInternal, problem + ". Report it.").with("log", text);
}

Result<std::vector<Error>> lower_kernels(llvm::Module& module, const BlockExtents& kernels, const CheckOptions& check) {
  std::vector<llvm::Function*> on_fibers;
  std::vector<Error> reasons;
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
  return reasons;
}

}  // namespace kmux::cpu::spmd
