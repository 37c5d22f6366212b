#include "kmux/jit_builder.h"

#include <algorithm>

#include "kmux/guarded.h"
#include "kmux/plugin/quoting.h"
#include "kmux/plugin/word_list.h"

namespace kmux {
namespace {

std::string shape_text(const std::vector<Expr>& shape) {
  std::vector<std::string> extents;
  extents.reserve(shape.size());
  for (const Expr& extent : shape) extents.push_back(to_string(extent));
  return "[" + join(extents) + "]";
}

/// Returns the value of the only name in `expr` for which `expr` is `value`; nothing if no integer solves it.
std::optional<std::int64_t> solved(const Linear& expr, std::int64_t value) {
  std::int64_t rest = 0;
  if (__builtin_sub_overflow(value, expr.offset, &rest)) return std::nullopt;
  if (expr.coefficient == -1) return rest == INT64_MIN ? std::nullopt : std::optional(-rest);
  if (rest % expr.coefficient != 0) return std::nullopt;
  return rest / expr.coefficient;
}

bool is_one_of(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

std::int64_t JitConstant::value() const {
  if (!binding_->value) binding_->read_early = true;
  return binding_->value.value_or(0);
}

JitConstant::operator Expr() const { return binding_->value ? Expr(*binding_->value) : Expr::symbol(binding_->name); }

JitBuilder::JitBuilder(std::string name, std::span<const Tensor> tensors)
    : ProgramBuilder(name), name_(std::move(name)), tensors_(tensors) {}

JitConstant JitBuilder::constant(std::string name) {
  if (Binding* known = find(name)) {
    refuse("constant " + in_quotes(name) + " is declared twice (each has a name of its own). Rename one of them.");
    return JitConstant(known);
  }
  return JitConstant(&constants_.emplace_back(Binding{std::move(name)}));
}

JitConstant::Binding* JitBuilder::find(std::string_view name) {
  const auto found = std::ranges::find(constants_, name, &Binding::name);
  return found == constants_.end() ? nullptr : &*found;
}

JitBuffer JitBuilder::input(std::string name, std::vector<Expr> shape) {
  return input(std::move(name), next_dtype(), std::move(shape));
}

DType JitBuilder::next_dtype() const {
  const bool has_tensor = taken_ < tensors_.size() && tensors_[taken_];
  return has_tensor ? tensors_[taken_].dtype() : dtype::kFloat32;  // a missing tensor is refused later
}

JitBuffer JitBuilder::input(std::string name, DType dtype, std::vector<Expr> shape) {
  return buffer(std::move(name), {.dtype = dtype, .shape = std::move(shape)});
}

JitBuffer JitBuilder::inout(std::string name, std::vector<Expr> shape) {
  return buffer(std::move(name), {.dtype = next_dtype(), .shape = std::move(shape), .inout = true});
}

JitBuffer JitBuilder::buffer(std::string name, BufferParam buffer) {
  if (const Tensor* tensor = next(name)) {
    if (buffer.inout && tensor->is_read_only()) {
      refuse("parameter " + in_quotes(name) + " is written (the tensor of the call is read-only). Give it a copy.");
    }
    if (*tensor) {
      bind(*tensor, buffer, name);
    } else if (!buffer.nullable) {
      refuse("parameter " + in_quotes(name) + " is given a null tensor (it is not nullable). Give a tensor.");
    }
  }
  const DType dtype = buffer.dtype;
  ProgramBuilder::buffer(name, std::move(buffer));
  return {std::move(name), dtype};
}

JitBuffer JitBuilder::empty(std::string name, DType dtype, std::vector<Expr> shape) {
  ProgramBuilder::output(name, dtype, std::move(shape));
  empties_.push_back(name);
  return {std::move(name), dtype};
}

const Tensor* JitBuilder::next(const std::string& name) {
  if (taken_++ < tensors_.size()) return &tensors_[taken_ - 1];
  refuse("parameter " + in_quotes(name) + " has no tensor (the call gives " + std::to_string(tensors_.size()) +
         "). Give one more, or declare it with empty().");
  return nullptr;
}

void JitBuilder::bind(const Tensor& tensor, BufferParam& buffer, const std::string& name) {
  const std::string given = " (the tensor of the call is " + describe(*tensor.dl()) + ").";
  if (!is_compatible(buffer.dtype, tensor.dtype()) || total_bits(buffer.dtype) != total_bits(tensor.dtype())) {
    refuse("parameter " + in_quotes(name) + " is " + to_string(buffer.dtype) + given + " Give a tensor of that dtype.");
  }
  const auto rank = static_cast<std::size_t>(tensor.dl()->ndim);
  if (buffer.shape.size() != rank || (buffer.strides && buffer.strides->size() != rank)) {
    return refuse("parameter " + in_quotes(name) + " has shape " + shape_text(buffer.shape) + given +
                  " Give a tensor of as many dimensions.");
  }
  std::vector<Extent> extents;
  for (std::size_t i = 0; i < rank; ++i) {
    extents.push_back({&buffer.shape[i], tensor.shape()[i], "dimension " + std::to_string(i)});
    if (buffer.strides)
      extents.push_back({&(*buffer.strides)[i], tensor.dl()->strides[i], "stride " + std::to_string(i)});
  }
  bind(std::move(extents), name);
}

/// Binds extents to constants. One constant may need another first ("[m * n, n]"), so it repeats until none is bound.
void JitBuilder::bind(std::vector<Extent> extents, const std::string& name) {
  while (std::erase_if(extents, [&](const Extent& extent) { return bind(extent, name); }) != 0) {
  }
  for (const Extent& extent : extents) {
    refuse(extent.what + " of parameter " + in_quotes(name) + " is " + to_string(*extent.expr) +
           " (no constant follows from that). Give each constant a dimension of its own.");
  }
}

/// Returns false if binding has to wait for other constants.
bool JitBuilder::bind(const Extent& extent, const std::string& name) {
  Expr& expr = *extent.expr;
  expr = with_constants(expr);
  const std::vector<std::string> free = free_constants(expr);
  if (!free.empty()) {
    const std::optional<Linear> linear = as_linear(expr);
    if (!linear) return false;
    if (const auto value = solved(*linear, extent.value)) {
      Binding& binding = *find(linear->symbol);
      binding.value = value;
      binding.parameter = name;
      expr = with_constants(expr);
      return true;
    }
  } else if (!expr.is_constant() || expr.is_constant(extent.value)) {
    return true;  // a symbol is checked by every call
  }
  refuse(mismatch(extent, name));
  return true;
}

std::string JitBuilder::mismatch(const Extent& extent, const std::string& name) const {
  std::string known;
  for (const Binding& binding : constants_) {
    if (!binding.value) continue;
    known += (known.empty() ? "" : ", ") + binding.name + " = " + std::to_string(*binding.value) + " from " +
             in_quotes(binding.parameter);
  }
  return extent.what + " of parameter " + in_quotes(name) + " is " + std::to_string(extent.value) + ", not " +
         to_string(*extent.expr) + (known.empty() ? "" : " (" + known + ")") + ". Give tensors whose shapes agree.";
}

std::vector<std::string> JitBuilder::free_constants(const Expr& expr) const {
  std::vector<std::string> names;
  for (const std::string& symbol : symbols_of(expr)) {
    const auto found = std::ranges::find(constants_, symbol, &Binding::name);
    if (found != constants_.end() && !found->value) names.push_back(symbol);
  }
  return names;
}

Expr JitBuilder::with_constants(const Expr& expr) const {
  return simplify(substitute(expr, [&](std::string_view name) -> std::optional<std::int64_t> {
    const auto found = std::ranges::find(constants_, name, &Binding::name);
    return found == constants_.end() ? std::nullopt : found->value;
  }));
}

std::vector<std::string> JitBuilder::problems(const JitOutputs& outputs) const {
  std::vector<std::string> problems = problems_;
  if (taken_ < tensors_.size()) {
    problems.push_back("the call gives " + std::to_string(tensors_.size()) + " tensors (the function takes " +
                       std::to_string(taken_) + "). Give as many.");
  }
  for (const Binding& constant : constants_) {
    if (!constant.value) {
      problems.push_back("constant " + in_quotes(constant.name) +
                         " has no value (no tensor has it in its shape). Put it into one, or remove it.");
    } else if (constant.read_early) {
      problems.push_back("constant " + in_quotes(constant.name) +
                         " is read before a tensor gives it. Declare the inputs first.");
    }
  }
  check_outputs(outputs, problems);
  return problems;
}

void JitBuilder::check_outputs(const JitOutputs& outputs, std::vector<std::string>& problems) const {
  std::vector<std::string> returned;
  for (const std::string& name : outputs.names()) {
    if (!is_one_of(empties_, name)) {
      problems.push_back(in_quotes(name) +
                         " cannot be returned (it is a tensor of the caller, who has it). Return what empty() gave.");
    } else if (is_one_of(returned, name)) {
      problems.push_back(in_quotes(name) + " is returned twice (a call allocates it once). Return it once.");
    }
    returned.push_back(name);
  }
  for (const std::string& name : empties_) {
    if (is_one_of(returned, name)) continue;
    problems.push_back(in_quotes(name) + " is not returned (it could not be read). Return it, or use workspace().");
  }
}

/// Inserts constants into shapes. Those of null tensors and outputs may have constants that a later tensor bound.
void JitBuilder::finish_shapes() {
  for (Param& param : program().signature.params) {
    auto* const buffer = std::get_if<BufferParam>(&param.kind);
    if (buffer == nullptr) continue;
    for (Expr& extent : buffer->shape) extent = with_constants(extent);
    if (!buffer->strides) continue;
    for (Expr& stride : *buffer->strides) stride = with_constants(stride);
  }
}

Result<Program> JitBuilder::build(const JitOutputs& outputs) {
  return guarded([&]() -> Result<Program> {
    if (const std::vector<std::string> found = problems(outputs); !found.empty()) {
      Error error = make_error(ErrorCode::kInvalidArgument, "jit function " + in_quotes(name_) + ": " + found.front());
      for (std::size_t i = 1; i < found.size(); ++i) error.notes.push_back({"problem", found[i]});
      return error;
    }
    finish_shapes();
    program().signature.outputs = outputs.names();  // in their order
    return ProgramBuilder::build();
  });
}

}  // namespace kmux
