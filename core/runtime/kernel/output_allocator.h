#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kmux/device.h"
#include "kmux/error.h"
#include "kmux/kernel.h"
#include "kmux/plugin/check_list.h"
#include "kmux/plugin/expr_code.h"
#include "kmux/signature.h"
#include "kmux/tensor.h"

namespace kmux {

/// Allocates the outputs of a call. Their sizes follow from the values that the inputs bind.
///
/// Threads: any, concurrently.
class OutputAllocator {
 public:
  /// Compiles the shapes of the outputs. `list` gives the places of values; `kernel` is the name in messages.
  static Result<OutputAllocator> make(std::string kernel, const Signature& signature, const CheckList& list);

  struct Output {
    std::size_t param = 0;
    std::string name;
    DType dtype;
    std::vector<ExprCode> shape;
    std::vector<ExprCode> strides;  // empty: contiguous
  };
  /// Returns the outputs in the order in which a call returns them.
  const std::vector<Output>& outputs() const { return outputs_; }

  /// Returns one tensor per output, on `device`, in memory that `memory` returns for work on `stream`.
  ///
  /// Errors: invalid_argument for a size that has no value or is negative; those of `memory`. All name kernel and
  ///         output.
  Result<std::vector<Tensor>> allocate(std::span<const std::int64_t> values, const Device& device, StreamRef stream,
                                       const OutputMemory& memory) const;

 private:
  static Result<Tensor> allocate(const Output& output, std::span<const std::int64_t> values, const Device& device,
                                 StreamRef stream, const OutputMemory& memory);
  std::string kernel_;
  std::vector<Output> outputs_;
};

/// Returns the names of the outputs of a call: those of the signature, or the parameters at the positions `out_idx`
/// (negative: from the end), in that order.
///
/// Errors: invalid_argument for a position that is out of range, repeated or not a tensor, or for any position if the
///         signature declares outputs.
Result<std::vector<std::string>> output_names(const Signature& signature, const std::vector<int>& out_idx);

}  // namespace kmux
