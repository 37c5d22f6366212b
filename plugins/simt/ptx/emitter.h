#pragma once

#include <span>
#include <string>
#include <vector>

#include "kmux/error.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/IRBuilder.h"
#include "simt/ptx/statement.h"

namespace kmux::simt::ptx {

using llvm::Value;

/// The value of an operand of the assembly: one that it has before the text runs, and the type of its result.
struct Argument {
  Value* value = nullptr;  // null: only written
  llvm::Type* type = nullptr;
  bool is_immediate = false;
};

/// Holds the registers of a text while its statements become LLVM IR. Without branches a register is the last value
/// written to it; with branches it is a variable, which LLVM promotes.
///
/// Lifetime: borrows all arguments of its constructor.
class Emitter {
 public:
  /// Emits into `function`, which must have no blocks.
  Emitter(llvm::Function& function, const Text& text, std::span<const Argument> arguments);

  llvm::IRBuilder<>& builder() { return builder_; }
  const Text& text() const { return text_; }

  /// Returns `operand` as a value of `type`: an integer, also for f16, or a float, double or i1.
  ///
  /// `is_wider_allowed`: the register may have more bits, of which the lowest count.
  /// Errors: unsupported for other operands.
  Result<Value*> read(const Operand& operand, Type type, bool is_wider_allowed = false);
  /// Returns `operand`, a register of 32 or 64 bits or a number, as it is: pointers stay pointers.
  Result<Value*> read_whole(const Operand& operand);
  /// Sets the register `operand` to `value`. A wider register gets it extended if `extends_as` is not null.
  ///
  /// Errors: unsupported for other operands, and for a register of other width.
  Status write(const Operand& operand, Value* value, const Type* extends_as = nullptr);

  /// Begins to emit for lanes with `guard`. `is_pure`: code is emitted for all lanes, and selects its results.
  Status begin_guard(const Operand& guard, bool is_pure);
  void end_guard();
  /// Jumps to `label`; with `guard` for lanes that have it.
  Status jump(unsigned label, const Operand* guard);
  /// Continues at the labels that stand before statement `position`.
  void begin_statement(std::size_t position);
  /// Returns the last value of `argument`.
  Value* result(unsigned argument);
  /// Returns the carry bit of extended arithmetic.
  Value* carry();
  void set_carry(Value* value);

 private:
  Result<unsigned> slot_of(const Operand& operand) const;
  Value* get(unsigned slot);
  void set(unsigned slot, Value* value);
  Result<Value*> number(const Operand& operand, Type type);
  unsigned carry_slot() const { return static_cast<unsigned>(types_.size() - 1); }

  const Text& text_;
  std::span<const Argument> arguments_;
  llvm::Function& function_;
  llvm::IRBuilder<> builder_;
  std::vector<llvm::Type*> types_;  // of each slot: registers, arguments, the carry
  std::vector<Value*> values_;  // without branches: the last value; with branches: the variable
  std::vector<llvm::BasicBlock*> blocks_;  // of labels; none without branches
  Value* guard_ = nullptr;  // of pure code
  llvm::BasicBlock* skipped_ = nullptr;  // where guarded code continues
  llvm::BasicBlock* unguarded_ = nullptr;  // the block that branches to guarded code
  llvm::MapVector<unsigned, Value*> before_guard_;  // values of slots that guarded code has changed
  std::size_t next_label_ = 0;  // labels are in order
};

/// Adds a block to the end of the function that `builder` emits.
llvm::BasicBlock* add_block(llvm::IRBuilder<>& builder);
/// Adds an array of `count` elements to the entry of that function. In a loop it would grow the stack.
Value* add_array(llvm::IRBuilder<>& builder, llvm::Type* element, unsigned count);
/// Returns the LLVM type of values of `type`.
llvm::Type* llvm_type(llvm::LLVMContext& context, Type type);
/// Returns the bits of `type`; 64 for pointers.
unsigned bits_of(const llvm::Type* type);
/// Returns `value` with the same bits as `type`, which must have as many.
Value* with_type(llvm::IRBuilder<>& builder, Value* value, llvm::Type* type);

}  // namespace kmux::simt::ptx
