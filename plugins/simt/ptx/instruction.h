#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "simt/ptx/emitter.h"

namespace kmux::simt::ptx {

/// An instruction that becomes LLVM IR: the parts of its mnemonic, and its operands. Its family must take each part.
///
/// Lifetime: borrows both arguments of its constructor.
class Instruction {
 public:
  Instruction(Emitter& emitter, const Statement& statement);

  Emitter& emitter() { return emitter_; }
  const Statement& statement() const { return statement_; }
  llvm::IRBuilder<>& builder() { return emitter_.builder(); }

  /// Takes the part `name` of the mnemonic. Returns true if there was one.
  bool take(std::string_view name);
  /// Takes the part of `names` that the mnemonic has. Returns its index; `names.size()` if it has none.
  std::size_t take_any(std::initializer_list<std::string_view> names);
  /// Takes and returns the next part, or "".
  std::string_view take_next();

  /// Returns the number of types in the mnemonic.
  std::size_t types() const { return types_.size(); }
  /// Returns the type number `i` of the mnemonic. Families check `types` first.
  Type type(std::size_t i) const { return types_[i]; }

  /// Returns the number of operands.
  std::size_t operands() const { return statement_.operands.size(); }
  const Operand& operand(std::size_t i) const { return statement_.operands[i]; }
  /// Returns operand `i` as a value of `type`.
  Result<Value*> read(std::size_t i, Type type);
  /// Returns the operands behind the first one as values of `type`; there must be `count`.
  Result<std::vector<Value*>> sources(std::size_t count, Type type);
  /// Sets the first operand.
  Status write(Value* value) { return emitter_.write(operand(0), value); }

  /// Checks that the mnemonic has `types` types, that there are `operands` operands, and that each part was taken.
  Status check(std::size_t types, std::size_t operands) const;
  /// Checks that each part was taken.
  Status check_parts() const;
  /// Returns an error that `reason` explains.
  static Error refuse(std::string reason);

 private:
  Emitter& emitter_;
  const Statement& statement_;
  std::vector<std::string_view> parts_;  // not taken yet
  std::vector<Type> types_;
};

}  // namespace kmux::simt::ptx
