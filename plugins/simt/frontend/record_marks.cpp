// SPDX-License-Identifier: Apache-2.0
// Marks IR with facts about the parameters of its sources that it does not have otherwise.
#include <numeric>

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/CodeGen/CodeGenABITypes.h"
#include "clang/CodeGen/ModuleBuilder.h"
#include "simt/analysis/names.h"
#include "simt/frontend/front_end.h"

namespace kmux::simt {
namespace {

unsigned parts_of(const clang::CodeGen::ABIArgInfo& passed) {
  constexpr unsigned kNotSaid = 1000000;
  if (passed.isIgnore()) return 0;
  if (passed.getPaddingType() != nullptr) return kNotSaid;
  if (passed.isIndirect() || passed.isExtend()) return 1;
  if (!passed.isDirect()) return kNotSaid;
  const auto* const record = llvm::dyn_cast_or_null<llvm::StructType>(passed.getCoerceToType());
  return record != nullptr && passed.getCanBeFlattened() ? record->getNumElements() : 1;
}

// Returns the number of IR parameters for each parameter of `source`; empty if it is not known of all.
std::vector<unsigned> parts_of(clang::CodeGen::CodeGenModule& generator, const clang::FunctionDecl& source) {
  const auto type = source.getType()->getCanonicalTypeUnqualified().getAs<clang::FunctionProtoType>();
  const auto* const method = llvm::dyn_cast<clang::CXXMethodDecl>(&source);
  if (!type || (method != nullptr && method->isInstance())) return {};
  std::vector<unsigned> parts;
  for (const auto& argument : clang::CodeGen::arrangeFreeFunctionType(generator, type).arguments()) {
    parts.push_back(parts_of(argument.info));
  }
  return parts;
}

void mark(llvm::Function& function, unsigned parameter, const char* attribute, unsigned number) {
  function.addParamAttr(parameter, llvm::Attribute::get(function.getContext(), attribute, std::to_string(number)));
}

/// Returns true for a type that launches pass as a structure: its parts may be several parameters of the IR.
bool is_passed_as_record(clang::QualType type) {
  const clang::RecordDecl* const record = type->getAsRecordDecl();
  return record == nullptr ? type->isAnyComplexType() : record->canPassInRegisters();
}

/// Returns true for the type of device/tensor_maps.h.
bool is_tensor_map(clang::QualType type) {
  const clang::RecordDecl* const record = type->getAsRecordDecl();
  return record != nullptr && record->getDeclName() && record->getName() == "CUtensorMap_st";
}

void mark_records(clang::CodeGen::CodeGenModule& generator, const clang::FunctionDecl& source,
                  llvm::Function& function) {
  const auto parts = parts_of(generator, source);
  if (std::accumulate(parts.begin(), parts.end(), 0U) != function.arg_size()) return;
  const clang::ASTContext& context = source.getASTContext();
  unsigned first = 0;
  for (unsigned i = 0; i < parts.size(); first += parts[i++]) {
    const clang::QualType type = source.getParamDecl(i)->getType();
    if (!is_passed_as_record(type) || parts[i] == 0) continue;
    const auto bytes = context.getTypeSizeInChars(type).getQuantity();
    mark(function, first, kRecordBytes, static_cast<unsigned>(bytes));
    mark(function, first, kRecordAlignment, static_cast<unsigned>(context.getTypeAlignInChars(type).getQuantity()));
    if (parts[i] > 1) mark(function, first, kRecordParts, parts[i]);
    if (is_tensor_map(type)) mark(function, first, kTensorMapRecord, 1);
  }
}

}  // namespace

void mark_records(clang::CodeGenerator& generator, llvm::Module& module) {
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    const clang::Decl* const decl = generator.GetDeclForMangledName(function.getName());
    const auto* const source = llvm::dyn_cast_or_null<clang::FunctionDecl>(decl);
    if (source == nullptr) continue;
    mark_records(generator.CGM(), *source, function);
  }
}

}  // namespace kmux::simt
