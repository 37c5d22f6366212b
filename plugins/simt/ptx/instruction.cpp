#include "simt/ptx/instruction.h"

#include <algorithm>
#include <utility>

namespace kmux::simt::ptx {

Instruction::Instruction(Emitter& emitter, const Statement& statement) : emitter_(emitter), statement_(statement) {
  for (std::size_t i = 1; i < statement.parts.size(); ++i) {
    if (const auto type = type_named(statement.parts[i])) {
      types_.push_back(*type);
    } else {
      parts_.push_back(statement.parts[i]);
    }
  }
}

bool Instruction::take(std::string_view name) {
  const auto found = std::ranges::find(parts_, name);
  if (found == parts_.end()) return false;
  parts_.erase(found);
  return true;
}

std::size_t Instruction::take_any(std::initializer_list<std::string_view> names) {
  const auto* const found = std::ranges::find_if(names, [&](std::string_view name) { return take(name); });
  return static_cast<std::size_t>(found - names.begin());
}

std::string_view Instruction::take_next() {
  if (parts_.empty()) return "";
  const std::string_view next = parts_.front();
  parts_.erase(parts_.begin());
  return next;
}

Result<Value*> Instruction::read(std::size_t i, Type type) { return emitter_.read(operand(i), type); }

Result<std::vector<Value*>> Instruction::sources(std::size_t count, Type type) {
  KMUX_TRY(check(types(), count + 1));
  std::vector<Value*> values;
  for (std::size_t i = 1; i <= count; ++i) {
    KMUX_ASSIGN(Value* const value, read(i, type));
    values.push_back(value);
  }
  return values;
}

Status Instruction::check_parts() const {
  if (parts_.empty()) return Ok{};
  return refuse("\"." + std::string(parts_.front()) + "\" is unknown");
}

Status Instruction::check(std::size_t types, std::size_t operands) const {
  KMUX_TRY(check_parts());
  if (types_.size() != types) {
    return refuse("it has " + std::to_string(types_.size()) + " types instead of " + std::to_string(types));
  }
  if (statement_.operands.size() == operands) return Ok{};
  return refuse("it has " + std::to_string(statement_.operands.size()) + " operands instead of " +
                std::to_string(operands));
}

Error Instruction::refuse(std::string reason) { return make_error(ErrorCode::kUnsupported, std::move(reason)); }

}  // namespace kmux::simt::ptx
