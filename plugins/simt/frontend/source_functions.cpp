// Lists the functions that a source defines for a launch. Clang reads it without the bodies, so that constructs in them
// that only a GPU has do not matter.
#include "simt/frontend/source_functions.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "kmux/json.h"
#include "kmux/plugin/compile_log.h"
#include "kmux/plugin/device_part.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Lex/Lexer.h"
#include "clang/Sema/Sema.h"
#include "clang/Sema/SemaConsumer.h"
#include "llvm/Support/raw_ostream.h"
#include "simt/frontend/front_end.h"
#include "simt/frontend/installation.h"
#include "simt/frontend/job.h"
#include "simt/frontend/source_records.h"

namespace kmux::simt {
namespace {

struct NamedType {
  std::string_view name;  // of the record that stands for it
  std::string_view dtype;
};

// The records of device/ that are one element.
constexpr std::array<NamedType, 7> kRecords = {{{"__half", "float16"},
                                                {"__half2", "float16x2"},
                                                {"__nv_bfloat16", "bfloat16"},
                                                {"__nv_bfloat162", "bfloat16x2"},
                                                {"__nv_fp8_e4m3", "float8_e4m3fn"},
                                                {"__nv_fp8_e5m2", "float8_e5m2"},
                                                {"dim3", ""}}};

// Returns the element type; "" if kmux has no such element.
std::string dtype_of(clang::QualType type, const clang::ASTContext& context);

// A vector of CUDA is a record of 2 to 4 equal members: x, y, z, w.
std::string vector_dtype(const clang::RecordDecl& record, const clang::ASTContext& context) {
  constexpr std::string_view kNames = "xyzw";
  std::string element;
  std::size_t count = 0;
  for (const clang::FieldDecl* const field : record.fields()) {
    const std::string dtype = dtype_of(field->getType(), context);
    const bool fits = count < kNames.size() && field->getName() == llvm::StringRef(&kNames[count], 1) &&
                      (count == 0 || dtype == element);
    if (!fits) return "";
    element = dtype;
    ++count;
  }
  if (count < 2 || !is_one_number(element)) return "";
  return element + "x" + std::to_string(count);
}

std::string record_dtype(const clang::RecordDecl& record, const clang::ASTContext& context) {
  for (const NamedType& one : kRecords) {
    if (record.getName() == llvm::StringRef(one.name)) return std::string(one.dtype);
  }
  const bool is_of_user = context.getSourceManager().isInMainFile(record.getLocation());
  const bool may_be_vector = !is_of_user && !record.isUnion() && record.isCompleteDefinition();
  return may_be_vector ? vector_dtype(record, context) : "";
}

// The names of cuComplex.h and hip_complex.h for pairs: only the name tells a complex number from a vector.
constexpr std::array<NamedType, 6> kComplexNames = {{{"cuFloatComplex", "complex64"},
                                                     {"cuDoubleComplex", "complex128"},
                                                     {"cuComplex", "complex64"},
                                                     {"hipFloatComplex", "complex64"},
                                                     {"hipDoubleComplex", "complex128"},
                                                     {"hipComplex", "complex64"}}};

std::string_view complex_of(clang::QualType part, const clang::ASTContext& context) {
  if (context.hasSameUnqualifiedType(part, context.FloatTy)) return "complex64";
  return context.hasSameUnqualifiedType(part, context.DoubleTy) ? "complex128" : "";
}

// Returns the dtype of std::complex<T>, thrust::complex<T> and cuda::std::complex<T>; "" for other classes.
std::string_view complex_class(const clang::RecordDecl& record, const clang::ASTContext& context) {
  const auto* const made = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(&record);
  if (made == nullptr || made->getName() != "complex" || made->getTemplateArgs().size() != 1) return "";
  const std::string name = made->getQualifiedNameAsString();
  const bool is_known = llvm::StringRef(name).starts_with("std::") || llvm::StringRef(name).starts_with("thrust::") ||
                        llvm::StringRef(name).starts_with("cuda::");
  const clang::TemplateArgument& part = made->getTemplateArgs()[0];
  return is_known && part.getKind() == clang::TemplateArgument::Type ? complex_of(part.getAsType(), context) : "";
}

// Returns the dtype that a name of `kComplexNames` stands for, among the names that lead to `type`; "" for no such name.
std::string_view complex_name(clang::QualType type) {
  while (const auto* const one = type->getAs<clang::TypedefType>()) {
    const std::string name = one->getDecl()->getNameAsString();
    for (const NamedType& known : kComplexNames) {
      if (name == known.name) return known.dtype;
    }
    type = one->getDecl()->getUnderlyingType();
  }
  return "";
}

// Returns the dtype of a complex number; "" for other types.
std::string_view complex_dtype(clang::QualType type, const clang::ASTContext& context) {
  if (const std::string_view named = complex_name(type); !named.empty()) return named;
  if (const auto* const pair = type->getAs<clang::ComplexType>()) return complex_of(pair->getElementType(), context);
  const clang::RecordDecl* const record = type->getAsRecordDecl();
  return record == nullptr ? "" : complex_class(*record, context);
}

std::string dtype_of(clang::QualType type, const clang::ASTContext& context) {
  if (const std::string_view complex = complex_dtype(type, context); !complex.empty()) return std::string(complex);
  type = type.getCanonicalType().getUnqualifiedType();
  if (const auto* const record = type->getAsRecordDecl()) return record_dtype(*record, context);
  if (type->isBooleanType()) return "bool";
  const bool is_number = type->isIntegralOrEnumerationType() || type->isRealFloatingType();
  if (!is_number || type->isDependentType()) return "";
  const auto bits = context.getTypeSize(type);
  if (bits > 64 || bits % 8 != 0) return "";
  if (type->isRealFloatingType()) return type->isBFloat16Type() ? "bfloat16" : "float" + std::to_string(bits);
  return (type->isUnsignedIntegerOrEnumerationType() ? "uint" : "int") + std::to_string(bits);
}

// Adds the members of a record that is not a number, but may consist of numbers.
void add_members(Json::Object& json, const clang::RecordDecl& record, const clang::ASTContext& context,
                 const ElementType& dtype) {
  RecordMembers read = members_of(record, context, dtype);
  json["problem"] = std::move(read.problem);
  json["members"] = std::move(read.members);
  json["align"] = read.alignment;
}

Json parameter_json(const clang::ParmVarDecl& parameter, const clang::ASTContext& context) {
  const clang::QualType type = parameter.getType();
  const ElementType dtype = [&](clang::QualType value) { return dtype_of(value, context); };
  Json::Object json = value_json(parameter.getNameAsString(), type, context, dtype);
  if (type->isReferenceType()) json["kind"] = "reference";
  if (parameter.isInvalidDecl()) json["kind"] = "undeclared";
  const clang::RecordDecl* const record = type->getAsRecordDecl();
  if (parameter.isInvalidDecl()) return json;
  if (is_complex_name(dtype(type))) {
    add_parts(json, type, context);
  } else if (record != nullptr) {
    add_members(json, *record, context, dtype);
  }
  return json;
}

// Returns the names of a template's parameters: "T, N".
std::string template_parameters(const clang::FunctionTemplateDecl& declared) {
  std::string names;
  for (const clang::NamedDecl* const one : *declared.getTemplateParameters()) {
    names += (names.empty() ? "" : ", ") + one->getNameAsString();
  }
  return names;
}

// Returns "my::scale<float, 4>" for an instantiation or a specialization, else "my::scale".
std::string full_name(const clang::FunctionDecl& function, const clang::ASTContext& context) {
  clang::PrintingPolicy policy = context.getPrintingPolicy();
  policy.SuppressTagKeyword = true;
  std::string name;
  llvm::raw_string_ostream stream(name);
  function.getNameForDiagnostic(stream, policy, /*Qualified=*/true);
  return stream.str();
}

// Returns "const float *, int": the canonical types, since a scope may lack the source's names for them. Empty for
// none.
std::string canonical_parameters(const clang::FunctionDecl& function, const clang::ASTContext& context) {
  clang::PrintingPolicy policy = context.getPrintingPolicy();
  policy.SuppressTagKeyword = true;
  std::string types;
  for (const clang::ParmVarDecl* const one : function.parameters()) {
    types += (types.empty() ? "" : ", ") + one->getType().getCanonicalType().getUnqualifiedType().getAsString(policy);
  }
  return types;
}

// Returns the source from the function's name on, in which Clang skipped the body. Blanks and non-ASCII characters are
// removed.
std::string body_of(const clang::FunctionDecl& function, const clang::ASTContext& context) {
  const clang::SourceManager& sources = context.getSourceManager();
  const auto [file, offset] = sources.getDecomposedExpansionLoc(function.getLocation());
  const llvm::StringRef text = sources.getBufferData(file).substr(offset);
  std::string body = text.substr(0, text.find("\n}")).str();
  llvm::erase_if(body, [](char letter) { return letter <= ' ' || letter > '~'; });
  return body;
}

// Returns the default of a template's parameter; null if it has none, or one that depends on other parameters.
std::optional<clang::TemplateArgument> default_of(const clang::NamedDecl& parameter, const clang::ASTContext& context) {
  if (const auto* const type = llvm::dyn_cast<clang::TemplateTypeParmDecl>(&parameter)) {
    if (!type->hasDefaultArgument()) return std::nullopt;
    const clang::TemplateArgument& given = type->getDefaultArgument().getArgument();
    return given.isDependent() ? std::nullopt : std::optional(given);
  }
  const auto* const value = llvm::dyn_cast<clang::NonTypeTemplateParmDecl>(&parameter);
  if (value == nullptr || !value->hasDefaultArgument() || value->getType()->isDependentType()) return std::nullopt;
  const clang::TemplateArgument& given = value->getDefaultArgument().getArgument();
  if (given.getKind() != clang::TemplateArgument::Expression || given.isDependent()) return std::nullopt;
  const std::optional<llvm::APSInt> number = given.getAsExpr()->getIntegerConstantExpr(context);
  if (!number) return std::nullopt;
  const unsigned bits = context.getIntWidth(value->getType());
  llvm::APSInt converted = number->extOrTrunc(bits);
  converted.setIsUnsigned(value->getType()->isUnsignedIntegerOrEnumerationType());
  return clang::TemplateArgument(context, converted, value->getType());
}

// Collects the definitions of the file itself: kernels, and in C and C++ other functions that can be called from
// outside. Of a template it collects the file's explicit instantiations, wherever the template is defined, or else the
// one by the defaults of its parameters, or else the template itself.
class FunctionList final : public clang::SemaConsumer {
 public:
  FunctionList(Language language, Json::Array& functions) : language_(language), functions_(functions) {}
  void InitializeSema(clang::Sema& sema) override { sema_ = &sema; }
  void HandleTranslationUnit(clang::ASTContext& context) override { read(*context.getTranslationUnitDecl(), context); }

 private:
  void read(const clang::DeclContext& scope, const clang::ASTContext& context) {
    for (const clang::Decl* const decl : scope.decls()) {
      if (const auto* const inner = llvm::dyn_cast<clang::NamespaceDecl>(decl)) read(*inner, context);
      if (const auto* const inner = llvm::dyn_cast<clang::LinkageSpecDecl>(decl)) read(*inner, context);
      if (const auto* const made = llvm::dyn_cast<clang::FunctionTemplateDecl>(decl)) add_template(*made, context);
      const auto* const function = llvm::dyn_cast<clang::FunctionDecl>(decl);
      if (function != nullptr && is_in_file(function->getLocation(), context) && is_launched(*function, context)) {
        add(*function, "", context);
      }
    }
  }

  void add_template(const clang::FunctionTemplateDecl& made, const clang::ASTContext& context) {
    const clang::FunctionDecl& pattern = *made.getTemplatedDecl();
    if (!is_launched(pattern, context)) return;
    bool is_instantiated = false;
    for (const clang::FunctionDecl* const one : made.specializations()) {
      const bool is_explicit = one->getTemplateSpecializationKind() == clang::TSK_ExplicitInstantiationDefinition;
      if (language_ != Language::kCuda) continue;  // nothing names an instantiation there
      if (!is_explicit || !is_in_file(one->getPointOfInstantiation(), context)) continue;
      is_instantiated = true;
      add(*one, "", context);
    }
    if (is_instantiated || !is_in_file(pattern.getLocation(), context)) return;
    if (const clang::FunctionDecl* const one = by_defaults(made, context)) return add(*one, "", context);
    add(pattern, template_parameters(made), context);
  }

  // Returns the instantiation of a kernel by the defaults of all parameters, or null.
  const clang::FunctionDecl* by_defaults(const clang::FunctionTemplateDecl& made, const clang::ASTContext& context) {
    if (language_ != Language::kCuda || sema_ == nullptr) return nullptr;
    llvm::SmallVector<clang::TemplateArgument> defaults;
    for (const clang::NamedDecl* const one : *made.getTemplateParameters()) {
      const std::optional<clang::TemplateArgument> given = default_of(*one, context);
      if (!given) return nullptr;
      defaults.push_back(*given);
    }
    const auto* const arguments = clang::TemplateArgumentList::CreateCopy(sema_->getASTContext(), defaults);
    return sema_->InstantiateFunctionDeclaration(const_cast<clang::FunctionTemplateDecl*>(&made), arguments,
                                                 made.getLocation());
  }

  static bool is_in_file(clang::SourceLocation at, const clang::ASTContext& context) {
    const clang::SourceManager& sources = context.getSourceManager();
    return sources.isInMainFile(sources.getExpansionLoc(at));
  }

  // Returns true for a kernel: device/threads.h defines the word __global__ as attributes.
  static bool is_kernel(const clang::FunctionDecl& function, const clang::ASTContext& context) {
    return llvm::any_of(function.attrs(), [&](const clang::Attr* attribute) {
      const clang::SourceLocation at = attribute->getLocation();
      return at.isMacroID() &&
             clang::Lexer::getImmediateMacroName(at, context.getSourceManager(), context.getLangOpts()) == "__global__";
    });
  }

  // Returns true if `function` is defined here and a launch can call it.
  bool is_launched(const clang::FunctionDecl& function, const clang::ASTContext& context) const {
    if (!function.isThisDeclarationADefinition()) return false;
    if (language_ == Language::kCuda) return is_kernel(function, context);
    const clang::QualType result = function.getReturnType();
    const bool is_callable = result->isVoidType() || dtype_of(result, context) == "int32";
    return is_callable && function.isExternallyVisible() && !function.isInlineSpecified() && !function.isMain();
  }

  void add(const clang::FunctionDecl& function, std::string templates, const clang::ASTContext& context) {
    Json::Array parameters;
    for (const clang::ParmVarDecl* const one : function.parameters()) {
      parameters.push_back(parameter_json(*one, context));
    }
    functions_.emplace_back(Json::Object{{"name", full_name(function, context)},
                                         {"body", body_of(function, context)},
                                         {"template", std::move(templates)},
                                         {"returns", function.getReturnType()->isVoidType() ? "void" : "int32"},
                                         {"types", canonical_parameters(function, context)},
                                         {"parameters", std::move(parameters)}});
  }

  Language language_;
  Json::Array& functions_;
  clang::Sema* sema_ = nullptr;
};

// Returns true if the first error is a missing header, or one that device/ refuses: later errors may result from it.
bool is_about_a_header(std::string_view error) {
  return error.find("file not found") != error.npos || error.find("not for this processor") != error.npos;
}

class ListFunctions final : public clang::ASTFrontendAction {
 public:
  ListFunctions(Language language, Json::Array& functions) : language_(language), functions_(functions) {}
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance&, llvm::StringRef) override {
    return std::make_unique<FunctionList>(language_, functions_);
  }

 private:
  Language language_;
  Json::Array& functions_;
};

}  // namespace

Result<SourceFunctions> FrontEnd::functions(const std::string& path, const Arguments& arguments, const Files& files,
                                            Language language) {
  KMUX_ASSIGN(const auto made, invocation(path, arguments, files));
  made->getFrontendOpts().ProgramAction = clang::frontend::ParseSyntaxOnly;
  made->getFrontendOpts().SkipFunctionBodies = true;
  std::string log;
  llvm::raw_string_ostream stream(log);
  clang::CompilerInstance instance;
  begin(instance, made, files, stream);
  instance.getDiagnostics().setFatalsAsError(true);  // a missing header must not hide the functions
  Json::Array list;
  ListFunctions action(language, list);
  const bool is_whole = instance.ExecuteAction(action);
  if (!is_whole && (list.empty() || !is_about_a_header(first_error(log)))) {
    const auto advice = language == Language::kCuda ? advice_for_missing_header : advice_for_header;
    return with_advice(compile_error("cannot read \"" + path + "\"", log), log, advice);
  }
  return SourceFunctions{dump(Json(std::move(list))), is_whole ? "" : std::string(first_error(log))};
}

}  // namespace kmux::simt
