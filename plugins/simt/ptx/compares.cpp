// Comparisons: setp, set, testp.
#include <optional>

#include "simt/ptx/families.h"
#include "simt/ptx/numbers.h"

namespace kmux::simt::ptx {
namespace compares {
namespace {

using Predicate = llvm::CmpInst::Predicate;

/// A comparison operator of PTX, and LLVM's for signed integers, unsigned ones, and numbers with a fraction.
struct Comparison {
  std::string_view name;
  Predicate of_signed, of_unsigned, of_float;  // BAD: there is none
};

constexpr Predicate kNone = llvm::CmpInst::BAD_ICMP_PREDICATE;
constexpr Comparison kComparisons[] = {
    {"eq", llvm::CmpInst::ICMP_EQ, llvm::CmpInst::ICMP_EQ, llvm::CmpInst::FCMP_OEQ},
    {"ne", llvm::CmpInst::ICMP_NE, llvm::CmpInst::ICMP_NE, llvm::CmpInst::FCMP_ONE},
    {"lt", llvm::CmpInst::ICMP_SLT, llvm::CmpInst::ICMP_ULT, llvm::CmpInst::FCMP_OLT},
    {"le", llvm::CmpInst::ICMP_SLE, llvm::CmpInst::ICMP_ULE, llvm::CmpInst::FCMP_OLE},
    {"gt", llvm::CmpInst::ICMP_SGT, llvm::CmpInst::ICMP_UGT, llvm::CmpInst::FCMP_OGT},
    {"ge", llvm::CmpInst::ICMP_SGE, llvm::CmpInst::ICMP_UGE, llvm::CmpInst::FCMP_OGE},
    {"lo", kNone, llvm::CmpInst::ICMP_ULT, kNone},
    {"ls", kNone, llvm::CmpInst::ICMP_ULE, kNone},
    {"hi", kNone, llvm::CmpInst::ICMP_UGT, kNone},
    {"hs", kNone, llvm::CmpInst::ICMP_UGE, kNone},
    {"equ", kNone, kNone, llvm::CmpInst::FCMP_UEQ},
    {"neu", kNone, kNone, llvm::CmpInst::FCMP_UNE},
    {"ltu", kNone, kNone, llvm::CmpInst::FCMP_ULT},
    {"leu", kNone, kNone, llvm::CmpInst::FCMP_ULE},
    {"gtu", kNone, kNone, llvm::CmpInst::FCMP_UGT},
    {"geu", kNone, kNone, llvm::CmpInst::FCMP_UGE},
    {"num", kNone, kNone, llvm::CmpInst::FCMP_ORD},
    {"nan", kNone, kNone, llvm::CmpInst::FCMP_UNO},
};

Result<Predicate> comparison(Instruction& in, Type type) {
  for (const Comparison& one : kComparisons) {
    if (!in.take(one.name)) continue;
    const Predicate found = !type.is_integer() ? one.of_float : type.is_signed() ? one.of_signed : one.of_unsigned;
    if (found != kNone) return found;
    return in.refuse("\"." + std::string(one.name) + "\" does not compare this type");
  }
  return in.refuse("its comparison is missing");
}

/// What joins the result of a comparison with a predicate.
enum class Join : std::uint8_t { kAnd, kOr, kXor, kNone };

Join join_of(Instruction& in) { return static_cast<Join>(in.take_any({"and", "or", "xor"})); }

Value* joined(Builder& builder, Join join, Value* a, Value* b) {
  if (join == Join::kNone) return a;
  if (join == Join::kAnd) return builder.CreateAnd(a, b);
  return join == Join::kOr ? builder.CreateOr(a, b) : builder.CreateXor(a, b);
}

/// The parts of setp and set that stand between mnemonic and types.
struct Test {
  Predicate predicate = kNone;
  Join join = Join::kNone;
  bool flushes = false;
};

Result<Test> test_of(Instruction& in, Type type) {
  Test test;
  test.join = join_of(in);
  test.flushes = in.take("ftz");
  KMUX_ASSIGN(test.predicate, comparison(in, type));
  return test;
}

// Returns element `element` of `bits` as a value that can be compared.
Value* comparable(Builder& builder, Value* bits, Type type, unsigned element, bool flushes) {
  if (type.is_half()) return float_of_half(builder, part_of(builder, bits, 16 * element, 16), type);
  return flushes && type.is_native_float() ? flushed(builder, bits) : bits;
}

Result<Value*> compared(Instruction& in, const Test& test, Type type, unsigned element) {
  KMUX_ASSIGN(Value* const a, in.read(1, type));
  KMUX_ASSIGN(Value* const b, in.read(2, type));
  return in.builder().CreateCmp(test.predicate, comparable(in.builder(), a, type, element, test.flushes),
                                comparable(in.builder(), b, type, element, test.flushes));
}

// Returns the joined result, or that of the opposite comparison.
Result<Value*> tested(Instruction& in, const Test& test, Value* holds) {
  if (test.join == Join::kNone) return holds;
  KMUX_ASSIGN(Value* const other, in.read(3, kPredicate));
  return joined(in.builder(), test.join, holds, other);
}

Status write_pair(Instruction& in, const Test& test, Type type) {
  const auto& targets = in.operand(0).parts;
  KMUX_ASSIGN(Value* const first, compared(in, test, type, 0));
  Value* second = in.builder().CreateNot(first);
  if (type.count == 2) {
    KMUX_ASSIGN(second, compared(in, test, type, 1));
  }
  KMUX_ASSIGN(Value* const p, tested(in, test, first));
  KMUX_ASSIGN(Value* const q, tested(in, test, second));
  KMUX_TRY(in.emitter().write(targets[0], p));
  return in.emitter().write(targets[1], q);
}

bool is_comparable(Type type) {
  return type.is_native_float() || type.is_half() || (type.is_integer() && type.count == 1 && type.bits >= 16);
}

Status emit_setp(Instruction& in) {
  if (in.types() != 1 || !is_comparable(in.type(0))) return in.refuse("it does not compare this type");
  const Type type = in.type(0);
  KMUX_ASSIGN(const Test test, test_of(in, type));
  KMUX_TRY(in.check(1, test.join == Join::kNone ? 3 : 4));
  if (in.operand(0).kind == Operand::Kind::kPair) return write_pair(in, test, type);
  if (type.count == 2) return in.refuse("two comparisons have two results");
  KMUX_ASSIGN(Value* const holds, compared(in, test, type, 0));
  KMUX_ASSIGN(Value* const result, tested(in, test, holds));
  return in.write(result);
}

// set.lt.u32.f32 d, a, b: all bits, or 1.0, if it holds.
Status emit_set(Instruction& in) {
  if (in.types() != 2 || !is_comparable(in.type(1)) || in.type(1).count == 2)
    return in.refuse("it does not compare this type");
  const Type result = in.type(0);
  if (result.whole() != 32 || !(result.is_integer() || result.is_native_float()))
    return in.refuse("its result has not 32 bits");
  KMUX_ASSIGN(const Test test, test_of(in, in.type(1)));
  KMUX_TRY(in.check(2, test.join == Join::kNone ? 3 : 4));
  KMUX_ASSIGN(Value* const holds, compared(in, test, in.type(1), 0));
  KMUX_ASSIGN(Value* const joined, tested(in, test, holds));
  llvm::Type* const type = llvm_type(in.builder().getContext(), result);
  Value* const yes = result.is_integer() ? llvm::Constant::getAllOnesValue(type) : llvm::ConstantFP::get(type, 1);
  return in.write(in.builder().CreateSelect(joined, yes, llvm::Constant::getNullValue(type)));
}

// testp.finite.f32 p, a.
Status emit_testp(Instruction& in) {
  constexpr llvm::FPClassTest kClasses[] = {
      llvm::fcFinite, llvm::fcInf,    static_cast<llvm::FPClassTest>(~llvm::fcNan & llvm::fcAllFlags),
      llvm::fcNan,    llvm::fcNormal, llvm::fcSubnormal};
  const std::size_t kind = in.take_any({"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
  KMUX_TRY(in.check(1, 2));
  if (kind == std::size(kClasses) || !in.type(0).is_native_float()) return in.refuse("the property is unknown");
  KMUX_ASSIGN(Value* const a, in.read(1, in.type(0)));
  return in.write(in.builder().createIsFPClass(a, kClasses[kind]));
}

constexpr Family kFamilies[] = {{"setp", emit_setp}, {"set", emit_set}, {"testp", emit_testp}};

}  // namespace
}  // namespace compares

std::span<const Family> compare_families() { return compares::kFamilies; }

}  // namespace kmux::simt::ptx
