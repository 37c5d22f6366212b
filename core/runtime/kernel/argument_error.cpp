#include <algorithm>
#include <string>

#include "kmux/plugin/carrier.h"
#include "kmux/plugin/quoting.h"
#include "kmux/plugin/tensor_geometry.h"

#include "argument_checker.h"
#include "ir/printed/dlpack_facts.h"
#include "scalar_convert.h"

namespace kmux {
namespace {

// Explains one failed check.
class Explanation {
 public:
  Explanation(const FailedCall& call, const Check& check)
      : call_(call), check_(check), param_(call.signature.params[check.param]) {}

  std::string text() const {
    switch (check_.kind) {
      case CheckKind::kTensor:
        return tensor_text();
      case CheckKind::kScalar:
        return scalar_text(" scalar");
      case CheckKind::kScalarValue:
        return parameter() + " is " + describe(arg()) + " (an expression uses it as int64). Pass a value that fits.";
      case CheckKind::kPointer:
        return parameter() + " is " + describe(arg()) + " (expected a pointer). Pass an address.";
      case CheckKind::kExtent:
        return extent_text(std::to_string(check_.value));
      case CheckKind::kStride:
        return stride_text(std::to_string(check_.value));
      case CheckKind::kContiguous:
        return "Expected " + parameter() + " to be a contiguous tensor (it is " + describe(tensor()) +
               " with strides " + strides() + "). Pass a contiguous copy.";
      case CheckKind::kSymbol:
        return symbol_text();
      default:
        return computed_text();
    }
  }

 private:
  const Arg& arg() const { return call_.args[check_.param]; }
  const DLTensor& tensor() const { return *arg().tensor(); }
  std::string parameter() const { return "parameter " + in_quotes(param_.name); }
  std::string wanted() const { return describe(*as_buffer(param_)); }
  std::string pass_wanted() const { return " Pass a tensor of " + wanted() + "."; }

  std::string tensor_text() const {
    if (arg().kind() != Arg::Kind::kTensor) {
      return parameter() + " is " + describe(arg()) + " (expected a tensor)." + pass_wanted();
    }
    if (arg().tensor() == nullptr) return parameter() + " is null (a kernel uses it)." + pass_wanted();
    if (tensor().ndim != static_cast<std::int32_t>(check_.index)) {
      return parameter() + " has " + std::to_string(tensor().ndim) + " dimensions (expected " +
             std::to_string(check_.index) + ")." + pass_wanted();
    }
    if (lacks_shape(tensor())) {
      return parameter() + " has no shape (it is null, and the tensor has " + std::to_string(tensor().ndim) +
             " dimensions)." + pass_wanted();
    }
    const DType actual = to_dtype(tensor().dtype);
    if (!is_compatible(check_.dtype, actual) && !is_storage_of(check_.dtype, actual)) {
      return parameter() + " has dtype " + to_string(actual) + " (expected " + to_string(check_.dtype) + ")." +
             pass_wanted();
    }
    if (check_.written && arg().is_read_only()) {
      return parameter() + " is read-only (the kernel writes it). Pass memory that may be written, such as a clone.";
    }
    return memory_text();
  }

  std::string memory_text() const {
    CallDevice device = device_before();
    const bool is_first = !device.is_chosen();
    if (!device.accepts(tensor().device)) {
      const DLDevice place{call_.memory.device.device_type, device.ordinal()};
      if (is_first) return wrong_device_text("the kernel runs on ", place, "tensor.to(kernel.device())");
      return wrong_device_text("the tensors before it are on ", place, "tensors of one device");
    }
    if (address_of(tensor()) == nullptr) {
      return parameter() + " has no memory (its data is null, but " + describe(tensor()) +
             " has elements). Pass memory, or a tensor without elements.";
    }
    return parameter() + " is not aligned to " + std::to_string(check_.value) + " bytes (its offset is " +
           std::to_string(reinterpret_cast<std::uintptr_t>(address_of(tensor())) %
                          static_cast<std::uint64_t>(check_.value)) +
           "). Pass aligned memory or a copy.";
  }

  // Returns the device of the call as chosen by the tensors before this one.
  CallDevice device_before() const {
    CallDevice device(call_.memory);
    for (const Arg& earlier : call_.args.first(check_.param)) {
      const bool is_tensor = earlier.kind() == Arg::Kind::kTensor && earlier.tensor() != nullptr;
      if (is_tensor) device.accepts(earlier.tensor()->device);
    }
    return device;
  }

  std::string wrong_device_text(const std::string& why, DLDevice place, const std::string& advice) const {
    return parameter() + " is on " + to_string(tensor().device) + " (" + why + to_string(place) + "). Pass " + advice +
           ".";
  }

  std::string scalar_text(const std::string& noun) const {
    return parameter() + " is " + describe(arg()) + " (expected a " + to_string(check_.dtype) + noun +
           "). Pass a value that it can hold.";
  }

  std::string extent_text(const std::string& expected) const {
    const std::int64_t actual = extent_of(tensor(), check_.dim, check_.packing);
    return parameter() + " has shape[" + std::to_string(check_.dim) + "] = " + std::to_string(actual) + " (expected " +
           expected + ")." + pass_wanted();
  }

  std::string stride_text(const std::string& expected) const {
    const std::int64_t actual = stride_of(tensor(), check_.dim, check_.packing);
    return parameter() + " has strides[" + std::to_string(check_.dim) + "] = " + std::to_string(actual) +
           " (expected " + expected + "). Pass a tensor of that layout.";
  }

  std::string strides() const {
    std::string text;
    for (std::int32_t dim = 0; dim < tensor().ndim; ++dim) {
      text += (dim == 0 ? "" : ", ") + std::to_string(tensor().strides[dim]);
    }
    return "[" + text + "]";
  }

  std::string computed_text() const {
    const Expr& expr = call_.list.expressions[check_.index];
    const auto value = evaluate(expr, [this](std::string_view name) -> std::optional<std::int64_t> {
      const auto index = call_.list.value_index(name);
      return index ? std::optional(call_.values[*index]) : std::nullopt;
    });
    if (!value) return parameter() + " has no size: " + value.error().message;
    const std::string expected = to_string(expr) + " = " + std::to_string(*value) + known_values(expr);
    return check_.kind == CheckKind::kComputedStride ? stride_text(expected) : extent_text(expected);
  }

  // " with m = 4, n = 2"
  std::string known_values(const Expr& expr) const {
    std::string text;
    for (const std::string& name : symbols_of(expr)) {
      const auto index = call_.list.value_index(name);
      if (index) text += (text.empty() ? " with " : ", ") + name + " = " + std::to_string(call_.values[*index]);
    }
    return text;
  }

  Carriers carriers() const { return {call_.list.carriers.data() + check_.value, check_.count}; }
  std::string name_of(const Carrier& carrier) const { return in_quotes(call_.signature.params[carrier.param].name); }
  std::int64_t number_of(const Carrier& carrier) const { return carried(carrier, *call_.args[carrier.param].tensor()); }

  // "shape[0]"
  static std::string place_of(const Carrier& carrier) {
    const char* array = carrier.source == Carrier::Source::kExtent ? "shape" : "strides";
    return std::string(array) + "[" + std::to_string(carrier.dim) + "]";
  }

  // `parameter "A" has shape[0] = 7`
  std::string statement(const Carrier& carrier) const {
    return "parameter " + name_of(carrier) + " has " + place_of(carrier) + " = " + std::to_string(number_of(carrier));
  }

  // Returns the expression of the signature at that place.
  std::string expr_of(const Carrier& carrier) const {
    const BufferParam& buffer = *as_buffer(call_.signature.params[carrier.param]);
    const bool is_extent = carrier.source == Carrier::Source::kExtent;
    return to_string(is_extent ? buffer.shape[carrier.dim] : (*buffer.strides)[carrier.dim]);
  }

  std::string symbol_text() const {
    const std::string& name = call_.list.value_names[check_.index];
    const auto tensor_of = [this](std::size_t param) { return call_.args[param].tensor(); };
    const SymbolBinding binding = bind_symbol(carriers(), tensor_of, check_.narrow);
    switch (binding.fault) {
      case SymbolFault::kNegative:
        return statement(*binding.culprit) + " (an extent is not negative). Pass a tensor with a valid shape.";
      case SymbolFault::kNoSolution:
        return statement(*binding.culprit) + " (expected " + expr_of(*binding.culprit) + ", and no integer " + name +
               " gives that). Pass a tensor of a size that fits.";
      case SymbolFault::kDisagrees:
        return statement(*binding.culprit) + " (expected " + expr_of(*binding.culprit) + ", and " + name + " = " +
               std::to_string(binding.value) + " from " + place_of(*binding.source) + " of " +
               name_of(*binding.source) + "). Pass tensors that agree.";
      case SymbolFault::kTooWide:
        return statement(*binding.source) + ", so " + name + " = " + std::to_string(binding.value) +
               " (expected int32). Pass a smaller tensor.";
      default:
        return no_carrier_text(name);
    }
  }

  std::string no_carrier_text(const std::string& name) const {
    std::string names;
    for (const Carrier& carrier : carriers()) {
      const std::string quoted_name = name_of(carrier);
      if (names.find(quoted_name) == std::string::npos) names += (names.empty() ? "" : ", ") + quoted_name;
    }
    if (!names.empty()) {
      return "symbol " + in_quotes(name) + " requires at least one non-null tensor among " + names +
             " (they carry it). Pass one of them.";
    }
    return "symbol " + in_quotes(name) +
           " has no value (no input carries it). Allocate the outputs and pass all parameters to launch.";
  }

  const FailedCall& call_;
  const Check& check_;
  const Param& param_;
};

}  // namespace

Error argument_error(const FailedCall& call, const Check& failed) {
  return make_error(ErrorCode::kInvalidArgument,
                    "kernel " + in_quotes(call.kernel) + ": " + Explanation(call, failed).text());
}

Error argument_count_error(std::string_view kernel, std::string_view noun, std::span<const Param* const> expected,
                           std::size_t actual) {
  std::string names;
  for (const Param* param : expected) names += (names.empty() ? "" : ", ") + param->name;
  return make_error(ErrorCode::kInvalidArgument,
                    "kernel " + in_quotes(kernel) + ": expected " + std::to_string(expected.size()) + " " +
                        std::string(noun) + ", got " + std::to_string(actual) + " (they are " +
                        (names.empty() ? "none" : names) + "). Pass one of each, in this order.");
}

std::string described_arguments(const Signature& signature, std::span<const Arg> args) {
  std::string text;
  for (std::size_t i = 0; i < args.size(); ++i) {
    text += (i == 0 ? "" : ", ") + signature.params[i].name + " is " + describe(args[i]);
  }
  return text;
}

std::string to_string(DLDevice device) {
  if (device.device_type == kDLCPU) return "cpu";
  const std::string ordinal = std::to_string(device.device_id);
  const char* name = device_type_name(device.device_type);
  if (name != nullptr) return std::string(name) + ":" + ordinal;
  return "device type " + std::to_string(static_cast<int>(device.device_type)) + ", ordinal " + ordinal;
}

}  // namespace kmux
