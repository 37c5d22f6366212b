#include "output_allocator.h"

#include <algorithm>
#include <cstdint>

namespace kmux {
namespace {

Result<std::vector<ExprCode>> compile_all(const std::vector<Expr>& exprs, const CheckList& list) {
  std::vector<ExprCode> codes;
  for (const Expr& expr : exprs) {
    KMUX_ASSIGN(ExprCode code, ExprCode::compile(expr, [&](std::string_view name) { return list.value_index(name); }));
    codes.push_back(std::move(code));
  }
  return codes;
}

Result<std::vector<std::int64_t>> evaluate_all(const std::vector<ExprCode>& codes,
                                               std::span<const std::int64_t> values) {
  std::vector<std::int64_t> numbers;
  for (std::size_t dim = 0; dim < codes.size(); ++dim) {
    const auto [number, fault] = codes[dim].evaluate(values);
    if (fault == nullptr && number >= 0) {
      numbers.push_back(number);
      continue;
    }
    const std::string why = fault != nullptr ? fault : std::to_string(number) + " is negative";
    return make_error(ErrorCode::kInvalidArgument, "dimension " + std::to_string(dim) + " has no size (" + why +
                                                       "). Pass inputs for which it has one.");
  }
  return numbers;
}

// Returns the number of elements from the first to the last one, inclusive.
Result<std::int64_t> span_of(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& strides) {
  std::int64_t span = 1;
  if (std::ranges::find(shape, 0) != shape.end()) return std::int64_t{0};
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    std::int64_t extent = 0;
    const bool too_large =
        __builtin_mul_overflow(shape[dim] - 1, strides[dim], &extent) || __builtin_add_overflow(span, extent, &span);
    if (too_large) return make_error(ErrorCode::kInvalidArgument, "it is larger than 2^63. Pass smaller inputs.");
  }
  return span;
}

}  // namespace

Result<OutputAllocator> OutputAllocator::make(std::string kernel, const Signature& signature, const CheckList& list) {
  OutputAllocator allocator;
  allocator.kernel_ = std::move(kernel);
  for (const std::string& name : signature.outputs) {
    const Param* param = find_param(signature, name);
    const BufferParam* buffer = param == nullptr ? nullptr : as_buffer(*param);
    if (buffer == nullptr) {
      return make_error(ErrorCode::kInvalidArgument,
                        "output \"" + name + "\" is not a buffer parameter. Name buffer parameters as outputs.");
    }
    Output output{static_cast<std::size_t>(param - signature.params.data()), name, buffer->dtype, {}, {}};
    KMUX_ASSIGN(output.shape, compile_all(buffer->shape, list));
    if (buffer->strides) {
      KMUX_ASSIGN(output.strides, compile_all(*buffer->strides, list));
    }
    allocator.outputs_.push_back(std::move(output));
  }
  return allocator;
}

Result<Tensor> OutputAllocator::allocate(const Output& output, std::span<const std::int64_t> values,
                                         const Device& device, StreamRef stream, const OutputMemory& memory) {
  KMUX_ASSIGN(std::vector<std::int64_t> shape, evaluate_all(output.shape, values));
  if (output.strides.empty()) return memory(std::move(shape), output.dtype, device, stream);
  KMUX_ASSIGN(std::vector<std::int64_t> strides, evaluate_all(output.strides, values));
  KMUX_ASSIGN(const std::int64_t span, span_of(shape, strides));
  KMUX_ASSIGN(const Tensor line, memory({span}, output.dtype, device, stream));
  return line.as_strided(std::move(shape), std::move(strides));
}

Result<std::vector<Tensor>> OutputAllocator::allocate(std::span<const std::int64_t> values, const Device& device,
                                                      StreamRef stream, const OutputMemory& memory) const {
  std::vector<Tensor> tensors;
  tensors.reserve(outputs_.size());
  for (const Output& output : outputs_) {
    auto tensor = allocate(output, values, device, stream, memory);
    if (!tensor) {
      Error error = std::move(tensor).error();
      error.message = "kernel \"" + kernel_ + "\": output \"" + output.name + "\": " + error.message;
      return error;
    }
    tensors.push_back(*std::move(tensor));
  }
  return tensors;
}

namespace {

Error invalid_out_idx(std::string message) { return make_error(ErrorCode::kInvalidArgument, std::move(message)); }

/// Returns the parameter at `index`.
Result<const Param*> param_at(const Signature& signature, int index) {
  const auto count = static_cast<std::int64_t>(signature.params.size());
  const std::int64_t position = index < 0 ? index + count : index;
  if (position < 0 || position >= count) {
    return invalid_out_idx("out_idx index " + std::to_string(index) + " is out of range for a function with " +
                           std::to_string(count) + " parameters. Give positions from " + std::to_string(-count) +
                           " to " + std::to_string(count - 1) + ".");
  }
  const Param& param = signature.params[static_cast<std::size_t>(position)];
  if (as_buffer(param) != nullptr) return &param;
  return invalid_out_idx("out_idx index " + std::to_string(index) + " is parameter '" + param.name +
                         "' (not a tensor). Name tensors only.");
}

}  // namespace

Result<std::vector<std::string>> output_names(const Signature& signature, const std::vector<int>& out_idx) {
  if (out_idx.empty()) return signature.outputs;
  if (!signature.outputs.empty())
    return invalid_out_idx(
        "out_idx is given although the program declares its outputs (two answers). Leave out_idx empty.");
  std::vector<std::string> names;
  for (const int index : out_idx) {
    KMUX_ASSIGN(const Param* param, param_at(signature, index));
    if (std::find(names.begin(), names.end(), param->name) != names.end())
      return invalid_out_idx("out_idx contains duplicate tensor indices ('" + param->name +
                             "' twice). Give each output once.");
    names.push_back(param->name);
  }
  return names;
}

}  // namespace kmux
