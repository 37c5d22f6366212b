#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kmux/arg.h"
#include "kmux/dtype.h"
#include "kmux/plugin/check_list.h"
#include "kmux/plugin/plugin.h"

namespace kmux {

/// Prefetches all tensors: if a kernel or a driver has left the caches cold, they load while the first one is checked.
inline void ask_for_tensors(std::span<const Arg> args) noexcept {
  for (const Arg& arg : args) {
    if (arg.kind() == Arg::Kind::kTensor) __builtin_prefetch(arg.tensor());
  }
}

/// A fast path for signatures of dense tensors, whose extents are constants or symbols, and of signed integers and
/// floating-point numbers. Covers most calls in the fewest instructions. It can only accept: a call that it does not
/// accept must be decided by the check list, which has every exception and every reason.
///
/// Threads: immutable, so any.
class PlainArguments {
 public:
  /// Covers no signature: `fill` returns false for every call.
  PlainArguments() = default;
  /// Returns the checks of `list`, or empty ones if it has others. Tensors must be on `device`.
  static PlainArguments of(const CheckList& list, std::size_t param_count, DLDevice device);

  bool empty() const { return tensors_.empty(); }

  /// Fills `slots`, one per parameter and then the values, from one argument per parameter. Returns true if the call is
  /// valid, and false if the check list must decide.
  bool fill(const Arg* args, kmux_slot* slots) const noexcept;

 private:
  struct Tensor {
    std::uint64_t form;  // rank and dtype, as laid out in a DLTensor
    std::uint64_t misaligned;  // bits that must be zero in an address
    std::uint32_t param;
    std::uint32_t written;
  };
  struct Scalar {
    DType type;
    std::uint16_t param;
  };
  struct Symbol {
    std::uint16_t param;
    std::uint16_t dim;
    std::uint32_t value;  // its index
    std::int64_t most;
  };
  struct Extent {
    std::uint16_t param;
    std::uint16_t dim;
    std::int32_t value;  // the index of a symbol's value, or negative
    std::int64_t constant;
  };
  bool take(const CheckList& list, const Check& check);
  bool take_tensor(const Check& check);
  bool take_symbol(const CheckList& list, const Check& check);
  bool take_scalar(const Check& check);
  bool fill_scalars(const Arg* args, kmux_slot* slots) const noexcept;
  bool fill_values(const Arg* args, std::int64_t* values) const noexcept;

  std::uint64_t device_ = 0;
  std::size_t param_count_ = 0;
  std::vector<Tensor> tensors_;
  std::vector<Scalar> scalars_;
  std::vector<Symbol> symbols_;
  std::vector<Extent> extents_;
};

}  // namespace kmux
