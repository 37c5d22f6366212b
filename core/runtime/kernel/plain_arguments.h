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

/// Where a kernel's or a driver's work has left the caches cold, all tensors are on their way while the first is looked at.
inline void ask_for_tensors(std::span<const Arg> args) noexcept {
  for (const Arg& arg : args) {
    if (arg.kind() == Arg::Kind::kTensor) __builtin_prefetch(arg.tensor());
  }
}

/// The checks of a signature whose parameters are dense tensors with extents that are constants or symbols, and signed integers
/// and floating-point numbers, in a form without what such a signature does not need: most calls, in the fewest instructions. It
/// only accepts; what it does not is decided by the check list, which has every exception and every reason.
///
/// Threads: immutable, so any.
class PlainArguments {
 public:
  /// Of no signature: false for every call.
  PlainArguments() = default;
  /// `device` is the one that tensors are on.
  static PlainArguments of(const CheckList& list, std::size_t param_count, DLDevice device);

  bool empty() const { return tensors_.empty(); }

  /// Fills `slots`, one a parameter and then the values, from one argument a parameter.
  bool fill(const Arg* args, kmux_slot* slots) const noexcept;

 private:
  struct Tensor {
    std::uint64_t form;  // rank and dtype, as they lie in a DLTensor
    std::uint64_t misaligned;  // bits that an address may not have
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
    std::int32_t value;  // the index of a symbol's, or negative
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
