#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "simt/ptx/types.h"

namespace kmux::simt::ptx {

/// An operand of an instruction.
struct Operand {
  enum class Kind : std::uint8_t {
    kRegister,   // `index` in Text::registers
    kArgument,   // `index` of the operand of the assembly ("%0")
    kInteger,    // `bits`
    kFloat,      // `bits`, 32 of them ("0f3F800000")
    kDouble,     // `bits` ("0d3FF0000000000000", "1.0")
    kSpecial,    // `name` of a special register without "%" ("tid.x")
    kLabel,      // `index` in Text::labels
    kName,       // `name` of something that the text does not declare
    kAddress,    // in brackets: `parts`, the first plus `bits`
    kVector,     // in braces: `parts`
    kPair,       // "p|q": two `parts`
    kDiscarded,  // "_"
  };
  Kind kind = Kind::kDiscarded;
  bool is_negated = false;  // behind "!" or "-"
  unsigned index = 0;
  std::uint64_t bits = 0;
  std::string name;
  std::vector<Operand> parts;
};

/// Returns the elements of a vector in braces, or `operand` itself.
///
/// Lifetime: borrows `operand`.
inline std::span<const Operand> elements_of(const Operand& operand) {
  return operand.kind == Operand::Kind::kVector ? std::span(operand.parts) : std::span(&operand, 1);
}

/// An instruction with its operands.
struct Statement {
  std::string mnemonic;  // with all parts, as written
  std::vector<std::string> parts;  // of the mnemonic: "ld", "global", "L2::128B", "u32"
  std::vector<Operand> operands;
  std::vector<Operand> guard;  // the predicate behind "@", none or one
};

/// A register that the text declares.
struct Register {
  std::string name;
  Type type;
};

/// A label: the statement in front of which it stands.
struct Label {
  std::string name;
  std::size_t position = 0;
};

/// The statements of one inline assembly. Names are resolved: each scope in braces has its own.
struct Text {
  std::vector<Statement> statements;
  std::vector<Register> registers;
  std::vector<Label> labels;
};

}  // namespace kmux::simt::ptx
