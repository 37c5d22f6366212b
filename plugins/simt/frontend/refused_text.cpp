#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kmux/plugin/compile_log.h"

#include "check/fiber_kernels.h"
#include "engine/front_end.h"
#include "engine/installation.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "spmd/steps.h"
#include "spmd/thread_calls.h"

namespace kmux::cpu {
namespace {

constexpr std::string_view kError = "error: ";
constexpr std::string_view kFrom = "In file included from ";

constexpr const char* kAdvice = " Write it in C++, or give the program a variant of dialect c.";

// Returns "k.cu:3" for the line "k.cu:3:7: error: ...".
std::string_view place_in(std::string_view line) {
  const std::string_view place = line.substr(0, line.find(": "));
  return place.substr(0, place.rfind(':'));
}

// Returns the place that the first of the lines "In file included from ..." above the one at `at` names.
std::string_view included_from(std::string_view log, std::size_t at) {
  std::string_view found;
  while (at > 0) {
    const std::size_t before = log.rfind('\n', at - 2);
    const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
    const std::string_view line = log.substr(begin, at - 1 - begin);
    if (!line.starts_with(kFrom)) break;
    found = line.substr(kFrom.size(), line.size() - kFrom.size() - 1);
    at = begin;
  }
  return found;
}

// Returns the reason in a line, for example "not for this processor (textures)".
std::string_view reason_in(std::string_view line) {
  const std::size_t mark = line.find(kRefusedMark);
  return mark == line.npos ? std::string_view() : line.substr(mark, line.rfind(')') + 1 - mark);
}

// Returns the header in the line of an #error of device/.
std::string header_in(std::string_view line) {
  constexpr std::string_view kFolder = "kmux-device/";
  std::string_view file = line.substr(0, line.find(':'));
  if (const std::size_t at = file.find(kFolder); at != file.npos) file.remove_prefix(at + kFolder.size());
  return "<" + std::string(file) + ">";
}

// Returns true if a line reports a constraint of PTX that no register of this processor has ("=f", "=h").
bool is_constraint(std::string_view line) { return line.find("constraint '") != line.npos && line.ends_with("in asm"); }

/// A library for GPUs, of CUDA or others, and the beginning of its headers' names.
struct Library {
  std::string_view beginning;
  std::string_view name;
};

constexpr Library kLibraries[] = {
    {"ATen/", "PyTorch"},     {"c10/", "PyTorch"},      {"cooperative_groups/", "cooperative groups"},
    {"cub/", "CUB"},          {"cublas", "cuBLAS"},     {"cuda/", "libcu++"},
    {"cudnn", "cuDNN"},       {"cufft", "cuFFT"},       {"curand", "cuRAND"},
    {"cusolver", "cuSOLVER"}, {"cusparse", "cuSPARSE"}, {"cute/", "CUTLASS"},
    {"cutlass/", "CUTLASS"},  {"nv/", "libcu++"},       {"nvshmem", "NVSHMEM"},
    {"thrust/", "Thrust"},    {"torch/", "PyTorch"}};

// Returns the library for GPUs to which a missing header belongs; empty if none.
std::string_view library_of_header(std::string_view header) {
  const auto found =
      std::ranges::find_if(kLibraries, [&](const Library& one) { return header.starts_with(one.beginning); });
  return found == std::end(kLibraries) ? std::string_view() : found->name;
}

}  // namespace

Error refused_construct(std::string_view place, std::string_view construct, std::string_view reason) {
  std::string message(place);
  if (!place.empty()) message += ": ";
  message.append(construct).append(" is ").append(reason).append(".").append(kAdvice);
  return make_error(ErrorCode::kUnsupported, std::move(message));
}

namespace {

// Returns the note below the error at `line` that names where a file of the program requested the code in error.
std::string_view request_below(std::string_view log, std::string_view line) {
  constexpr std::string_view kRequested = " requested here";
  std::size_t begin = static_cast<std::size_t>(line.data() - log.data()) + line.size() + 1;
  while (begin < log.size()) {
    const std::size_t end = std::min(log.find('\n', begin), log.size());
    const std::string_view note = log.substr(begin, end - begin);
    if (note.find(kError) != note.npos) break;
    if (note.ends_with(kRequested) && note.find(kDeviceFolder) == note.npos) return note;
    begin = end + 1;
  }
  return {};
}

// Returns "k.cu:6:3: error: TEXT, in 'atomicAnd<float>'" for the error "atomics.h:14:24: error: TEXT", which `note`
// traces to the program.
std::string as_request(std::string_view line, std::string_view note) {
  constexpr std::string_view kNote = ": note: ";
  std::string text(note.substr(0, note.find(kNote) + 2));
  text.append(line.substr(line.find(kError)));
  const std::size_t name = note.find('\''), end = note.rfind('\'');
  return name == end ? text : text.append(", in ").append(note.substr(name, end + 1 - name));
}

}  // namespace

Error device_error(const std::string& path, std::string_view log) {
  Error error = compile_error("cannot compile \"" + path + "\"", log);
  const std::string_view line = first_error(log);
  if (line.substr(0, line.find(kError)).find(kDeviceFolder) == line.npos) return error;
  const std::string_view note = request_below(log, line);
  const std::size_t at = error.message.find(line);
  if (!note.empty() && at != error.message.npos) error.message.replace(at, line.size(), as_request(line, note));
  return error;
}

std::optional<Error> refusal_of(std::string_view log) {
  const std::string_view line = first_error(log);
  if (line.empty()) return std::nullopt;
  const std::string whole(log);
  if (is_constraint(line)) {
    return refused_construct(place_in(line), "inline assembly", std::string(kRefusedMark) + "PTX)").with("log", whole);
  }
  if (const std::string_view library = library_of_header(missing_header(line)); !library.empty()) {
    const std::string header = "<" + std::string(missing_header(line)) + ">";
    return refused_construct(place_in(line), header, std::string(kRefusedMark) + std::string(library) + ")")
        .with("log", whole);
  }
  const std::string_view reason = reason_in(line);
  if (reason.empty()) return std::nullopt;
  const std::string_view from = included_from(log, static_cast<std::size_t>(line.data() - log.data()));
  return refused_construct(from.empty() ? place_in(line) : from, header_in(line), reason).with("log", whole);
}

namespace {

llvm::Value* call_lane(llvm::IRBuilder<>& builder) {
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  auto lane = module.getOrInsertFunction("kmux.lane", builder.getInt32Ty());
  auto* const function = llvm::cast<llvm::Function>(lane.getCallee());
  function->setDoesNotAccessMemory();
  function->setDoesNotThrow();
  function->setWillReturn();
  return builder.CreateCall(lane);
}

// Returns the value of a special register of PTX; null for others.
llvm::Value* special_register(llvm::IRBuilder<>& builder, llvm::StringRef name) {
  if (name != "laneid" && !name.starts_with("lanemask_")) return nullptr;
  llvm::Value* const lane = call_lane(builder);
  if (name == "laneid") return lane;
  llvm::Value* const equal = builder.CreateShl(builder.getInt32(1), lane);
  llvm::Value* const less = builder.CreateSub(equal, builder.getInt32(1));
  if (name == "lanemask_eq") return equal;
  if (name == "lanemask_lt") return less;
  if (name == "lanemask_le") return builder.CreateOr(less, equal);
  if (name == "lanemask_gt") return builder.CreateNot(builder.CreateOr(less, equal));
  if (name == "lanemask_ge") return builder.CreateNot(less);
  return nullptr;
}

// Returns the operands of `call` to which its results are tied ("+r"), one per result; empty if a result has none.
std::vector<llvm::Value*> tied_operands(const llvm::CallBase& call, const llvm::InlineAsm& assembly) {
  const auto constraints = assembly.ParseConstraints();
  std::vector<llvm::Value*> given(constraints.size()), tied;
  unsigned next = 0;
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    const bool is_given = constraints[i].Type == llvm::InlineAsm::isInput || constraints[i].isIndirect;
    if (is_given) given[i] = call.getArgOperand(next++);
  }
  for (const llvm::InlineAsm::ConstraintInfo& one : constraints) {
    if (one.Type != llvm::InlineAsm::isOutput || one.isIndirect) continue;
    if (!one.hasMatchingInput()) return {};
    tied.push_back(given[static_cast<std::size_t>(one.MatchingInput)]);
  }
  return tied;
}

// Returns the value of a `call` with empty text: its results are the operands tied to them. Returns null if a result
// has none.
llvm::Value* unchanged(llvm::CallBase& call, const llvm::InlineAsm& assembly) {
  const std::vector<llvm::Value*> tied = tied_operands(call, assembly);
  if (tied.size() == 1 && tied.front()->getType() == call.getType()) return tied.front();
  const auto* const results = llvm::dyn_cast<llvm::StructType>(call.getType());
  if (results == nullptr || results->getNumElements() != tied.size()) return nullptr;
  llvm::IRBuilder<> builder(&call);
  llvm::Value* all = llvm::PoisonValue::get(call.getType());
  for (unsigned i = 0; i < tied.size(); ++i) {
    if (tied[i]->getType() != results->getElementType(i)) return nullptr;
    all = builder.CreateInsertValue(all, tied[i], i);
  }
  return all;
}

// Replaces a `call` with empty text.
void replace_empty(llvm::CallBase& call, const llvm::InlineAsm& assembly) {
  if (!call.getType()->isVoidTy()) {
    llvm::Value* const value = unchanged(call, assembly);
    if (value == nullptr) return;
    call.replaceAllUsesWith(value);
  }
  call.eraseFromParent();
}

// Replaces a `call` with the text "mov.u32 $0, %NAME;", or with empty text.
void replace(llvm::CallBase& call, const llvm::InlineAsm& assembly) {
  llvm::StringRef text = llvm::StringRef(assembly.getAsmString()).trim();
  if (text.empty()) return replace_empty(call, assembly);
  if (!text.consume_front("mov.u32") && !text.consume_front("mov.b32")) return;
  text = text.trim();
  if (!text.consume_front("$0,") || !text.consume_back(";") || !call.getType()->isIntegerTy(32)) return;
  text = text.trim();
  if (!text.consume_front("%")) return;
  llvm::IRBuilder<> builder(&call);
  llvm::Value* const value = special_register(builder, text);
  if (value == nullptr) return;
  call.replaceAllUsesWith(value);
  call.eraseFromParent();
}

}  // namespace

void replace_assembly(llvm::Module& module) {
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
      auto* const call = llvm::dyn_cast<llvm::CallInst>(&instruction);  // asm goto ends a block, and is refused
      if (call == nullptr || !call->isInlineAsm()) continue;
      replace(*call, *llvm::cast<llvm::InlineAsm>(call->getCalledOperand()));
    }
  }
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
    spmd::for_each_named(*operand.get(), [&](const llvm::Function& named) {
      if (refused == nullptr && !reason_against(named).empty()) refused = &named;
    });
  }
  if (refused == nullptr) return Ok{};
  return refused_construct(spmd::place_of(instruction.getDebugLoc().get()), "\"" + device_name(*refused) + "\"",
                           reason_against(*refused));
}

// Checks the declaration of the kernel itself.
Status check_declaration(const llvm::Function& function) {
  const llvm::StringRef reason = reason_against(function);
  if (reason.empty()) return Ok{};
  return refused_construct(spmd::place_of(function.getSubprogram()), "kernel \"" + source_name(function) + "\"",
                           reason);
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
    const llvm::StringRef plain = text.take_until([](char c) { return c == '%' || c == '$'; });
    written += plain;
    text = text.drop_front(plain.size());
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
  const std::string place = spmd::place_of(call.getDebugLoc().get());
  return make_error(ErrorCode::kUnsupported, "\"" + source_name(*call.getFunction()) + "\" has the inline assembly \"" +
                                                 text + "\", which is not for this processor. Write it in C++" +
                                                 (place.empty() ? "." : " (" + place + ")."));
}

// Refuses constructs that CUDA lacks, at the instruction's own line or that of the function.
Status check_language(const llvm::Instruction& instruction) {
  const auto refuse = [&](const char* what) {
    std::string place = spmd::place_of(instruction.getDebugLoc().get());
    if (place.empty()) place = spmd::place_of(instruction.getFunction()->getSubprogram());
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

namespace spmd {

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

}  // namespace spmd
}  // namespace kmux::cpu
