#include "call_sample.h"

#include <bit>
#include <map>

#include "kmux/plugin/words.h"

namespace kmux {
namespace {

using Values = std::map<std::string, std::int64_t, std::less<>>;

Error no_sample(const std::string& param, const std::string& why) {
  return make_error(ErrorCode::kUnsupported, "a call cannot be measured (parameter \"" + param + "\" " + why +
                                                 "). Choose the backend with policy priority, or name it.");
}

Result<std::vector<std::int64_t>> evaluate_all(const std::vector<Expr>& exprs, const Values& values) {
  std::vector<std::int64_t> numbers;
  for (const Expr& expr : exprs) {
    KMUX_ASSIGN(const std::int64_t number, evaluate(expr, [&](std::string_view name) -> std::optional<std::int64_t> {
                  const auto found = values.find(name);
                  return found == values.end() ? std::nullopt : std::optional(found->second);
                }));
    numbers.push_back(number);
  }
  return numbers;
}

Result<SampleTensor> sample_tensor(const BufferParam& buffer, const Values& values) {
  SampleTensor tensor{buffer.dtype, {}, {}};
  KMUX_ASSIGN(tensor.shape, evaluate_all(buffer.shape, values));
  if (buffer.strides) {
    KMUX_ASSIGN(tensor.strides, evaluate_all(*buffer.strides, values));
  }
  return tensor;
}

/// An integer or bool of `dtype` from its bits, which are zero-extended.
std::int64_t integer_of(DType type, std::uint64_t bits) {
  const int unused = 64 - type.bits;
  if (type.code != kDLInt || unused <= 0) return static_cast<std::int64_t>(bits);
  return static_cast<std::int64_t>(bits << unused) >> unused;
}

SampleTensor sample_tensor(const DLTensor& tensor) {
  SampleTensor sample{to_dtype(tensor.dtype), {tensor.shape, tensor.shape + tensor.ndim}, {}};
  if (tensor.strides != nullptr) sample.strides.assign(tensor.strides, tensor.strides + tensor.ndim);
  return sample;
}

/// The integers that a call carries: its symbols and its integer scalars.
Values values_of(const Signature& signature, const kmux_slot* slots) {
  Values values;
  const std::vector<SlotInfo> infos = slots_of(signature);
  for (std::size_t i = 0; i < infos.size(); ++i) {
    if (infos[i].kind == SlotKind::kSymbol) values.emplace(infos[i].name, slots[i].i64);
    if (infos[i].kind == SlotKind::kScalar && !is_float(infos[i].dtype)) {
      values.emplace(infos[i].name, integer_of(infos[i].dtype, slots[i].bits));
    }
  }
  return values;
}

std::string class_text(std::int64_t extent) {
  if (extent <= 0) return "0";
  return "2^" + std::to_string(std::bit_width(static_cast<std::uint64_t>(extent)) - 1);
}

}  // namespace

Result<CallSample> sample_of(const Signature& signature, std::span<const Arg> args) {
  if (args.size() != signature.params.size()) {
    return make_error(ErrorCode::kInvalidArgument, "to tune takes all " + std::to_string(signature.params.size()) +
                                                       " parameters, outputs included (" + std::to_string(args.size()) +
                                                       " were given). Pass them as to `launch`.");
  }
  CallSample sample;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const Param& param = signature.params[i];
    if (is_pointer(param)) return no_sample(param.name, "is a raw pointer");
    const DLTensor* tensor = args[i].kind() == Arg::Kind::kTensor ? args[i].tensor() : nullptr;
    if (tensor != nullptr) {
      sample.emplace_back(sample_tensor(*tensor));
    } else {
      sample.emplace_back(args[i]);  // a wrong one is refused by the first call
    }
  }
  return sample;
}

Result<CallSample> sample_of(const Signature& signature, const kmux_slot* slots) {
  const Values values = values_of(signature, slots);
  CallSample sample;
  for (std::size_t i = 0; i < signature.params.size(); ++i) {
    const Param& param = signature.params[i];
    if (is_pointer(param)) return no_sample(param.name, "is a raw pointer");
    if (const ScalarParam* scalar = as_scalar(param)) {
      sample.emplace_back(Arg::bits(scalar->dtype, slots[i].bits));
      continue;
    }
    KMUX_ASSIGN(SampleTensor tensor, sample_tensor(*as_buffer(param), values));
    const bool is_null = slots[i].ptr == nullptr && as_buffer(param)->nullable;
    is_null ? sample.emplace_back(Arg(nullptr)) : sample.emplace_back(std::move(tensor));
  }
  return sample;
}

std::optional<CallSample> example_of(const Program& program) {
  Values values(program.metadata.symbols.begin(), program.metadata.symbols.end());
  for (const auto& [name, value] : program.metadata.scalars) values.emplace(name, static_cast<std::int64_t>(value));
  CallSample sample;
  for (const Param& param : program.signature.params) {
    if (as_buffer(param) == nullptr) {
      sample.emplace_back(Arg(nullptr));
      continue;
    }
    Result<SampleTensor> tensor = sample_tensor(*as_buffer(param), values);
    if (!tensor) return std::nullopt;
    sample.emplace_back(*std::move(tensor));
  }
  return sample;
}

std::string bucket_of(const CallSample& sample) {
  std::vector<std::string> shapes;
  for (const auto& param : sample) {
    const auto* tensor = std::get_if<SampleTensor>(&param);
    if (tensor == nullptr) continue;
    std::vector<std::string> extents;
    extents.reserve(tensor->shape.size());
    for (const std::int64_t extent : tensor->shape) extents.push_back(class_text(extent));
    shapes.push_back("[" + join(extents) + "]");
  }
  return join(shapes);
}

}  // namespace kmux
