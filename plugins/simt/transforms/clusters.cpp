#include "simt/transforms/clusters.h"

#include <array>
#include <cstdint>
#include <string>

#include "llvm/IR/IRBuilder.h"
#include "simt/analysis/annotations.h"
#include "simt/runtime/cluster.h"

namespace kmux::simt {
namespace {

constexpr const char* kClusterText = "kmux.cluster";  // of frontend/device/threads.h
constexpr const char* kClusterAttribute = "kmux-cluster";

// Returns "2,1,1" for the arguments of an annotation, of which missing ones are 1.
std::string extents_of(const llvm::ConstantStruct& annotation) {
  std::array<std::uint64_t, 3> extents{1, 1, 1};
  const auto* const arguments = llvm::dyn_cast<llvm::GlobalVariable>(annotation.getOperand(4)->stripPointerCasts());
  for (unsigned i = 0; arguments != nullptr && i < extents.size(); ++i) {
    const auto* const extent =
        llvm::dyn_cast_or_null<llvm::ConstantInt>(arguments->getInitializer()->getAggregateElement(i));
    if (extent != nullptr) extents[i] = extent->getZExtValue();
  }
  return std::to_string(extents[0]) + "," + std::to_string(extents[1]) + "," + std::to_string(extents[2]);
}

}  // namespace

void note_clusters(llvm::Module& module) {
  for_each_annotation(module, [](const llvm::ConstantStruct& annotation) {
    if (annotation_text(*annotation.getOperand(1)) != kClusterText) return;
    if (auto* const kernel = llvm::dyn_cast<llvm::Function>(annotation.getOperand(0)->stripPointerCasts()))
      kernel->addFnAttr(kClusterAttribute, extents_of(annotation));
  });
}

void apply_cluster(llvm::Function& start) {
  if (!start.hasFnAttribute(kClusterAttribute)) return;
  llvm::SmallVector<llvm::StringRef> extents;
  start.getFnAttribute(kClusterAttribute).getValueAsString().split(extents, ',');
  const std::string name = start.getName().str();
  start.setName(name + ".of_cluster");
  start.setLinkage(llvm::GlobalValue::InternalLinkage);
  auto* const whole =
      llvm::Function::Create(start.getFunctionType(), llvm::GlobalValue::ExternalLinkage, name, start.getParent());
  whole->setAttributes(start.getAttributes());
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(start.getContext(), "entry", whole));
  llvm::Value* const own = builder.CreateAlloca(llvm::ArrayType::get(builder.getInt64Ty(), sizeof(kmux_cpu_grid) / 8));
  llvm::SmallVector<llvm::Value*> values{whole->getArg(0), own, builder.CreateGlobalString(name)};
  for (const llvm::StringRef extent : extents) {
    unsigned number = 0;
    extent.getAsInteger(10, number);
    values.push_back(builder.getInt32(number));
  }
  llvm::SmallVector<llvm::Type*> types;
  for (const llvm::Value* const value : values) types.push_back(value->getType());
  llvm::Value* const code =
      builder.CreateCall(start.getParent()->getOrInsertFunction(
                             "kmux_cpu_set_cluster", llvm::FunctionType::get(builder.getInt32Ty(), types, false)),
                         values);
  llvm::BasicBlock* const runs = llvm::BasicBlock::Create(start.getContext(), "runs", whole);
  llvm::BasicBlock* const fails = llvm::BasicBlock::Create(start.getContext(), "fails", whole);
  builder.CreateCondBr(builder.CreateIsNull(code), runs, fails);
  builder.SetInsertPoint(fails);
  builder.CreateRet(code);
  builder.SetInsertPoint(runs);
  llvm::SmallVector<llvm::Value*> arguments{own};
  for (llvm::Argument& argument : llvm::drop_begin(whole->args())) arguments.push_back(&argument);
  builder.CreateRet(builder.CreateCall(&start, arguments));
}

}  // namespace kmux::simt
