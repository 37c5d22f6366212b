#pragma once

namespace kmux::simt {

// Numbers that code passes to the runtime.

/// The operation of a copy that reduces.
enum class Reduction : unsigned { kAdd, kMin, kMax, kInc, kDec, kAnd, kOr, kXor };

/// The type of its elements.
enum class ElementType : unsigned { kU8, kU16, kU32, kS32, kU64, kS64, kF16, kBf16, kF32, kF64 };

}  // namespace kmux::simt
