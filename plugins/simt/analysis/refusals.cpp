#include "simt/analysis/refusals.h"

#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "simt/analysis/call_graph.h"
#include "simt/analysis/names.h"
#include "simt/analysis/thread_calls.h"

namespace kmux::simt {

namespace {

constexpr const char* kAdvice = " Write it in C++, or give the program a variant of dialect c.";

}  // namespace

Error refused_construct(std::string_view place, std::string_view construct, std::string_view reason) {
  std::string message(place);
  if (!place.empty()) message += ": ";
  message.append(construct).append(" is ").append(reason).append(".").append(kAdvice);
  return make_error(ErrorCode::kUnsupported, std::move(message));
}

namespace {

// Returns "ns::f<int>" for "_ZN2ns1fIiEET_S1_": the name in a source, without parameters.
std::string source_name(const llvm::Function& function) {
  std::string name = function.getName().str();
  llvm::ItaniumPartialDemangler parts;
  if (parts.partialDemangle(name.c_str())) return name;
  const std::unique_ptr<char, decltype(&std::free)> text(parts.getFunctionName(nullptr, nullptr), &std::free);
  return text ? std::string(text.get()) : name;
}

// Returns "cluster_group::sync" or "tex2D": the name in a source that uses a namespace of device/, without deduced
// arguments.
std::string device_name(const llvm::Function& function) {
  const std::string whole = source_name(function);
  llvm::StringRef name = llvm::StringRef(whole).take_until([](char c) { return c == '<'; });
  name.consume_front("cooperative_groups::");
  return name.str();
}

// Returns the reason for which device/ refuses `function` (KMUX_REFUSED), or an empty string.
llvm::StringRef reason_against(const llvm::Function& function) {
  const llvm::StringRef text = function.getFnAttribute("dontcall-error").getValueAsString();
  return text.starts_with(kRefusedMark) ? text : llvm::StringRef();
}

// Checks the functions that `instruction` calls, or takes the address of, also in a table.
Status check_functions(const llvm::Instruction& instruction) {
  const llvm::Function* refused = nullptr;
  for (const llvm::Use& operand : instruction.operands()) {
    for_each_named(*operand.get(), [&](const llvm::Function& named) {
      if (refused == nullptr && !reason_against(named).empty()) refused = &named;
    });
  }
  if (refused == nullptr) return Ok{};
  return refused_construct(place_of(instruction.getDebugLoc().get()), "\"" + device_name(*refused) + "\"",
                           reason_against(*refused));
}

// Checks the declaration of the kernel itself.
Status check_declaration(const llvm::Function& function) {
  const llvm::StringRef reason = reason_against(function);
  if (reason.empty()) return Ok{};
  return refused_construct(place_of(function.getSubprogram()), "kernel \"" + source_name(function) + "\"", reason);
}

// Returns true if the source of `assembly` must write %% for %: it has operands or lists clobbers.
bool is_extended(const llvm::InlineAsm& assembly) {
  return llvm::any_of(assembly.ParseConstraints(), [](const llvm::InlineAsm::ConstraintInfo& constraint) {
    constexpr const char* kAlways[] = {"{dirflag}", "{fpsr}", "{flags}"};  // of x86
    return constraint.Type != llvm::InlineAsm::isClobber || !llvm::is_contained(kAlways, constraint.Codes.front());
  });
}

// Removes from `text` the sign behind LLVM's "$". Returns its form in the source: "$", "{", "%x0" for "{0:x}", or "%".
std::string taken_sign(llvm::StringRef& text) {
  constexpr std::pair<const char*, const char*> kSigns[] = {{"$", "$"}, {"(", "{"}, {"|", "|"}, {")", "}"}};
  for (const auto& [sign, written] : kSigns) {
    if (text.consume_front(sign)) return written;
  }
  if (!text.consume_front("{")) return "%";
  const auto [operand, rest] = text.split('}');
  text = rest;
  const auto [number, modifier] = operand.split(':');
  return "%" + (modifier + number).str();
}

// Returns the text as the source has it.
std::string written_text(const llvm::InlineAsm& assembly) {
  const char* const percent = is_extended(assembly) ? "%%" : "%";
  std::string written;
  for (llvm::StringRef text = assembly.getAsmString(); !text.empty();) {
    const llvm::StringRef plain = text.take_until([](char c) { return c == '%' || c == '$' || c == kRegisterSign; });
    written += plain;
    text = text.drop_front(plain.size());
    if (text.consume_front(llvm::StringRef(&kRegisterSign, 1))) written += "%";
    if (text.consume_front("%")) written += percent;
    if (text.consume_front("$")) written += taken_sign(text);
  }
  return written;
}

// Returns the first line of `text` that has more than braces.
std::string first_line(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n');
  llvm::erase_if(lines, [](llvm::StringRef line) { return line.trim("{} \t\r;").empty(); });
  if (lines.empty()) return "";
  return lines.front().trim().str() + (lines.size() > 1 ? " ..." : "");
}

Status check_assembly(const llvm::CallBase& call) {
  const std::string text = first_line(written_text(*llvm::cast<llvm::InlineAsm>(call.getCalledOperand())));
  const std::string place = place_of(call.getDebugLoc().get());
  llvm::StringRef reason = call.getFnAttr(kAssemblyRefusal).getValueAsString();
  if (reason.empty()) reason = "which is not for this processor";
  return make_error(ErrorCode::kUnsupported, "\"" + source_name(*call.getFunction()) + "\" has the inline assembly \"" +
                                                 text + "\", " + reason.str() + ". Write it in C++" +
                                                 (place.empty() ? "." : " (" + place + ")."));
}

// Refuses constructs that CUDA lacks, at the instruction's own line or that of the function.
Status check_language(const llvm::Instruction& instruction) {
  const auto refuse = [&](const char* what) {
    std::string place = place_of(instruction.getDebugLoc().get());
    if (place.empty()) place = place_of(instruction.getFunction()->getSubprogram());
    return make_error(ErrorCode::kUnsupported, (place.empty() ? "" : place + ": ") + what);
  };
  if (llvm::isa<llvm::CallBrInst>(instruction)) {
    return refuse("inline assembly that jumps (asm goto) is not for kernels (CUDA has none). Write it in C++.");
  }
  if (llvm::isa<llvm::IndirectBrInst>(instruction)) {
    return refuse("a goto to the address of a label is not for kernels (CUDA has none). Use a switch.");
  }
  const auto* const call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  const llvm::Function* const called = call == nullptr ? nullptr : call->getCalledFunction();
  if (called == nullptr || called->getName() != "__cxa_guard_acquire") return Ok{};
  return refuse(
      "a static variable that begins with what is computed is not for kernels (CUDA has none). "
      "Make it constexpr, __shared__ or local.");
}

}  // namespace

// Refuses instructions of another processor, PTX, functions that device/ refuses, and Clang's extensions to CUDA.
Status check_text(const llvm::Function& function) {
  KMUX_TRY(check_declaration(function));
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    KMUX_TRY(check_language(instruction));
    const auto* const call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    KMUX_TRY(call != nullptr && call->isInlineAsm() ? check_assembly(*call) : check_functions(instruction));
  }
  return Ok{};
}

}  // namespace kmux::simt
