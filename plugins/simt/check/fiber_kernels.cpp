#include "simt/check/fiber_kernels.h"

#include <algorithm>

#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/Mem2Reg.h"
#include "simt/analysis/call_graph.h"
#include "simt/analysis/code_check.h"
#include "simt/analysis/demangled.h"
#include "simt/analysis/divergence.h"
#include "simt/analysis/names.h"
#include "simt/analysis/refusals.h"
#include "simt/analysis/thread_calls.h"
#include "simt/check/check_options.h"
#include "simt/check/divisions.h"
#include "simt/check/fiber_launch.h"
#include "simt/check/instrument.h"
#include "simt/check/product_registers.h"
#include "simt/transforms/defined_arithmetic.h"
#include "simt/transforms/shared_variables.h"
#include "simt/transforms/thread_indices.h"

namespace kmux::simt {
namespace {

// Keeps warp calls from being moved or merged, and gives each a separate place: their results depend on the order of
// calls.
void pin_warp_calls(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    const std::string_view name = called(&instruction);
    const bool is_of_warp = name == call::kShuffle || name == call::kBallot || name == call::kSyncWarp;
    if (!is_of_warp && !is_barrier(&instruction) && !is_unit_call(&instruction) && !is_note_call(&instruction))
      continue;
    auto& made = llvm::cast<llvm::CallInst>(instruction);
    made.setTailCallKind(llvm::CallInst::TCK_NoTail);
    made.removeFnAttr(llvm::Attribute::Memory);
    made.getCalledFunction()->removeFnAttr(llvm::Attribute::Memory);
  }
}

struct NoteRecords : llvm::PassInfoMixin<NoteRecords> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
    note_records(function, llvm::StringRef(kDeviceFolder));
    return llvm::PreservedAnalyses::none();
  }
};

// Inlines functions of kmux's headers into the user's, and promotes memory to scalars, so that the checks apply to code
// that the user wrote. Pointers are promoted before records, so that the destination of a copy is known as a variable
// of the thread.
void inline_headers(llvm::Module& module) {
  Analyses analyses;
  analyses.complete();
  llvm::FunctionPassManager scalars;
  scalars.addPass(llvm::PromotePass());
  scalars.addPass(NoteRecords());
  scalars.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  llvm::ModulePassManager passes;
  passes.addPass(llvm::AlwaysInlinerPass(/*InsertLifetime=*/false));
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(scalars)));
  passes.run(module, analyses.modules);
}

// Checks the stack before arrays of dynamic size.
void watch_dynamic_arrays(llvm::Function& function) {
  const std::string name = demangled(function.getName());
  for (llvm::Instruction& one : llvm::instructions(function)) {
    const auto* const array = llvm::dyn_cast<llvm::AllocaInst>(&one);
    if (array == nullptr || array->isStaticAlloca()) continue;
    llvm::IRBuilder<> builder(&one);
    llvm::Type* const i64 = builder.getInt64Ty();
    const std::uint64_t size = function.getDataLayout().getTypeAllocSize(array->getAllocatedType()).getFixedValue();
    llvm::Value* const count = builder.CreateZExtOrTrunc(const_cast<llvm::Value*>(array->getArraySize()), i64);
    const auto type = llvm::FunctionType::get(builder.getVoidTy(), {builder.getPtrTy(), i64}, false);
    builder.CreateCall(function.getParent()->getOrInsertFunction(call::kArray, type),
                       {text_constant(*function.getParent(), name), builder.CreateMul(count, builder.getInt64(size))});
  }
}

// Checks the stack in a function that may call itself.
void watch_stack(llvm::Function& function) {
  llvm::IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
  const auto type = llvm::FunctionType::get(builder.getVoidTy(), {builder.getPtrTy()}, false);
  const std::string name = demangled(function.getName());
  builder.CreateCall(function.getParent()->getOrInsertFunction(call::kStack, type),
                     {text_constant(*function.getParent(), name)});
}

// Yields where a thread may poll for others in a loop. Checked code yields at its accesses.
void add_polls(llvm::Function& function) {
  const auto poll = function.getParent()->getOrInsertFunction(
      call::kPoll, llvm::FunctionType::get(llvm::Type::getVoidTy(function.getContext()), false));
  for (llvm::Instruction& one : llvm::instructions(function)) {
    const bool is_read = llvm::isa<llvm::LoadInst, llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(one);
    if (is_read && (one.isAtomic() || one.isVolatile())) llvm::CallInst::Create(poll, "", one.getIterator());
  }
}

/// Writes the constants that describe a kernel to the runtime (kmux_cpu_fiber_kernel).
class Facts {
 public:
  Facts(llvm::Module& module, const CheckOptions& options)
      : module_(module), options_(options), builder_(module.getContext()) {
    if (!options.memory) return;
    std::vector<llvm::GlobalVariable*> variables;
    for (llvm::GlobalVariable& variable : module.globals()) {
      if (has_extent(variable)) variables.push_back(&variable);
    }
    for (llvm::GlobalVariable* const variable : variables) {
      globals_.push_back(extent(variable->getName(), variable, size_of(*variable)));
    }
    for (const char* const name : {"malloc", "_Znwm", "_Znam"}) {  // operators new and new[]
      const llvm::Function* const function = module.getFunction(name);
      if (function == nullptr || function->use_empty()) continue;
      globals_.push_back(extent(name, llvm::ConstantPointerNull::get(builder_.getPtrTy()), kmux_cpu_any));
    }
  }

  llvm::Constant* of(llvm::StringRef kernel, const std::vector<SharedVariable>& shared,
                     const std::vector<llvm::Function*>& functions) {
    std::vector<llvm::Constant*> variables;
    for (const SharedVariable& variable : shared) {
      const bool is_reached = std::ranges::find_first_of(functions, variable.functions) != functions.end();
      variables.push_back(record({text_constant(module_, variable.name), number(is_reached ? variable.bytes : 0),
                                  number(variable.alignment)}));
    }
    llvm::Constant* const facts = own_constant(
        module_, record({text_constant(module_, kernel), array(variables), number(variables.size()), array(globals_),
                         number(globals_.size()), builder_.getInt32(options_.memory ? 1 : 0),
                         builder_.getInt32(options_.seed), number(0)}));
    facts->setName(kernel + kFactsOfFibers);
    return facts;
  }

 private:
  // Excludes variables that hold the address of a constant of the program: they are removed once the constant has its
  // name.
  static bool has_extent(const llvm::GlobalVariable& variable) {
    return !variable.isDeclaration() && !variable.isThreadLocal() && !variable.getName().starts_with("llvm.") &&
           !variable.getName().starts_with(kConstantSymbol) && variable.getSection() != "llvm.metadata";
  }
  static llvm::Constant* record(llvm::ArrayRef<llvm::Constant*> members) {
    return llvm::ConstantStruct::getAnon(members);
  }
  llvm::Constant* number(std::uint64_t value) { return builder_.getInt64(value); }
  static std::uint64_t size_of(const llvm::GlobalVariable& variable) {
    return variable.getParent()->getDataLayout().getTypeAllocSize(variable.getValueType()).getFixedValue();
  }
  llvm::Constant* extent(llvm::StringRef name, llvm::Constant* begin, std::uint64_t bytes) {
    return record({text_constant(module_, name), begin, number(bytes)});
  }
  llvm::Constant* array(const std::vector<llvm::Constant*>& elements) {
    if (elements.empty()) return llvm::ConstantPointerNull::get(builder_.getPtrTy());
    return own_constant(module_, llvm::ConstantArray::get(
                                     llvm::ArrayType::get(elements.front()->getType(), elements.size()), elements));
  }

  llvm::Module& module_;
  const CheckOptions& options_;
  llvm::IRBuilder<> builder_;
  std::vector<llvm::Constant*> globals_;
};

llvm::StructType* arguments_of(const llvm::Function& kernel) {
  return llvm::StructType::get(kernel.getContext(), kernel.getFunctionType()->params());
}

// Returns a void(const void*) function that calls the kernel with the arguments stored there.
llvm::Function* thread_function(llvm::Function& kernel) {
  llvm::IRBuilder<> builder(kernel.getContext());
  auto* const type = llvm::FunctionType::get(builder.getVoidTy(), {builder.getPtrTy()}, false);
  auto* const thread = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, kernel.getName() + ".thread",
                                              kernel.getParent());
  builder.SetInsertPoint(llvm::BasicBlock::Create(kernel.getContext(), "entry", thread));
  llvm::StructType* const packed = arguments_of(kernel);
  llvm::SmallVector<llvm::Value*> arguments;
  for (unsigned i = 0; i < packed->getNumElements(); ++i) {
    arguments.push_back(
        builder.CreateLoad(packed->getElementType(i), builder.CreateStructGEP(packed, thread->getArg(0), i)));
  }
  builder.CreateCall(&kernel, arguments);
  builder.CreateRetVoid();
  return thread;
}

// Writes the function with the kernel's name that the launcher calls.
void write_fiber_start(llvm::Function& kernel, llvm::Constant* facts) {
  llvm::IRBuilder<> builder(kernel.getContext());
  llvm::Function* const thread = thread_function(kernel);
  llvm::StructType* const packed_type = arguments_of(kernel);
  llvm::SmallVector<llvm::Type*> types{builder.getPtrTy()};
  types.append(packed_type->element_begin(), packed_type->element_end());
  auto* const start = llvm::Function::Create(llvm::FunctionType::get(builder.getInt32Ty(), types, false),
                                             llvm::GlobalValue::ExternalLinkage, "", kernel.getParent());
  start->addFnAttrs(llvm::AttrBuilder(kernel.getContext(), kernel.getAttributes().getFnAttrs()));
  start->removeFnAttr(llvm::Attribute::Memory);
  thread->setAttributes(start->getAttributes());
  const std::string name = kernel.getName().str();
  kernel.setName(name + ".scalar");
  kernel.setLinkage(llvm::GlobalValue::InternalLinkage);
  start->setName(name);
  builder.SetInsertPoint(llvm::BasicBlock::Create(kernel.getContext(), "entry", start));
  llvm::Value* const packed = builder.CreateAlloca(packed_type);
  for (unsigned i = 0; i < packed_type->getNumElements(); ++i) {
    builder.CreateStore(start->getArg(i + 1), builder.CreateStructGEP(packed_type, packed, i));
  }
  llvm::Type* const ptr = builder.getPtrTy();
  const auto run = kernel.getParent()->getOrInsertFunction(
      "kmux_cpu_run_fibers", llvm::FunctionType::get(builder.getInt32Ty(), {ptr, ptr, ptr, ptr}, false));
  builder.CreateRet(builder.CreateCall(run, {start->getArg(0), thread, packed, facts}));
}

Status check_warp(const llvm::Function& function) {
  if (seen_warp(function) <= 32) return Ok{};
  return make_error(ErrorCode::kUnsupported,
                    "\"" + demangled(function.getName()) +
                        "\" exchanges values between 64 threads (where each has a stack of its "
                        "own, 32 do). Leave out KMUX_WAVEFRONT, or what keeps it from vectors.");
}

}  // namespace

Status run_on_fibers(std::span<llvm::Function* const> kernels, const CheckOptions& options) {
  if (kernels.empty()) return Ok{};
  llvm::Module& module = *kernels.front()->getParent();
  const std::vector<llvm::Function*> all = functions_of(kernels);
  for (llvm::Function* const function : all) {
    KMUX_TRY(check_text(*function));
    KMUX_TRY(check_warp(*function));
    if (options.memory) watch_divisions(*function);
    guard_divisions(*function);
    pin_warp_calls(*function);
    watch_dynamic_arrays(*function);
    if (!options.memory) add_polls(*function);
  }
  for (llvm::Function* const function : recursive_functions(all)) watch_stack(*function);
  if (options.memory) check_product_registers(kernels, llvm::StringRef(kDeviceFolder));
  const std::vector<SharedVariable> shared = number_shared(all);
  Facts facts(module, options);
  std::vector<llvm::Constant*> known;
  for (llvm::Function* const kernel : kernels) {
    known.push_back(facts.of(kernel->getName(), shared, functions_of(std::span(&kernel, 1))));
  }
  if (options.memory) {
    inline_headers(module);
    const std::vector<llvm::Function*> left = functions_of(kernels);
    watch_lanes(left, llvm::StringRef(kDeviceFolder));
    for (llvm::Function* const function : left) instrument(*function, llvm::StringRef(kDeviceFolder));
    llvm::StripDebugInfo(module);
  }
  for (std::size_t i = 0; i < kernels.size(); ++i) write_fiber_start(*kernels[i], known[i]);
  for (const llvm::Function* const function : functions_of(kernels)) {
    KMUX_TRY(check_code(*function, "the code for one thread after another is broken (function \"" +
                                       demangled(function->getName()) + "\")"));
  }
  return Ok{};
}

}  // namespace kmux::simt
