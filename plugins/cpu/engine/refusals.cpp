#include <string>

#include "kmux/plugin/compile_log.h"

#include "engine/front_end.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace kmux::cpu {
namespace {

constexpr std::string_view kMark = "not for this processor (";
constexpr std::string_view kError = "error: ";
constexpr std::string_view kUnavailable = " is unavailable: ";
constexpr std::string_view kFrom = "In file included from ";

constexpr const char* kAdvice = " Write it in C++, or give the program a variant of dialect c.";

// "k.cu:3" of the line "k.cu:3:7: error: ...".
std::string_view place_in(std::string_view line) {
  const std::string_view place = line.substr(0, line.find(": "));
  return place.substr(0, place.rfind(':'));
}

// Of the lines "In file included from ..." above the one at `at`, the place that the first names.
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

Error refused(std::string_view place, std::string_view construct, std::string_view why, std::string_view log) {
  std::string message(place);
  message.append(": ")
      .append(construct)
      .append(" is not for this processor (")
      .append(why)
      .append(").")
      .append(kAdvice);
  return make_error(ErrorCode::kUnsupported, std::move(message)).with("log", std::string(log));
}

// The text between the quotes of clang's "'name' is unavailable", or the header that an #error of ours refuses.
std::string construct_in(std::string_view line, std::string_view text) {
  if (text.starts_with('\'')) return "\"" + std::string(text.substr(1, text.find('\'', 1) - 1)) + "\"";
  constexpr std::string_view kFolder = "kmux-device/";
  std::string_view file = line.substr(0, line.find(':'));
  if (const std::size_t at = file.find(kFolder); at != file.npos) file.remove_prefix(at + kFolder.size());
  return "<" + std::string(file) + ">";
}

// Constraints of PTX that no register of this processor has ("=f", "=h").
bool is_constraint(std::string_view line) { return line.find("constraint '") != line.npos && line.ends_with("in asm"); }

}  // namespace

std::optional<Error> refusal_of(std::string_view log) {
  const std::string_view line = first_error(log);
  if (line.empty()) return std::nullopt;
  if (is_constraint(line)) return refused(place_in(line), "inline assembly", "PTX", log);
  const std::size_t mark = line.find(kMark);
  if (mark == line.npos) return std::nullopt;
  const std::string_view why = line.substr(mark + kMark.size(), line.rfind(')') - mark - kMark.size());
  const std::string_view from = included_from(log, static_cast<std::size_t>(line.data() - log.data()));
  const std::size_t text = line.find(kError) + kError.size();
  const bool is_use = line.find(kUnavailable) != line.npos;
  return refused(is_use || from.empty() ? place_in(line) : from, construct_in(line, line.substr(text)), why, log);
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

// The value of a special register of PTX; null for others.
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

// Replaces `call` of the text "mov.u32 $0, %NAME;", or of none.
void replace(llvm::CallBase& call, const llvm::InlineAsm& assembly) {
  llvm::StringRef text = llvm::StringRef(assembly.getAsmString()).trim();
  if (text.empty() && call.getType()->isVoidTy()) return (void)call.eraseFromParent();
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
      auto* const call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call == nullptr || !call->isInlineAsm()) continue;
      replace(*call, *llvm::cast<llvm::InlineAsm>(call->getCalledOperand()));
    }
  }
}

}  // namespace kmux::cpu
