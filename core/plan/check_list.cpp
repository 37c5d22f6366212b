#include "kmux/plugin/check_list.h"

#include <algorithm>
#include <limits>
#include <span>

#include "ir/printed/dlpack_facts.h"

namespace kmux {
namespace {

constexpr std::size_t kMaxCount = std::numeric_limits<std::uint16_t>::max();

// The largest vector load of a device has 16 bytes.
constexpr std::int64_t kMaxNaturalAlignment = 16;

bool is_integer_scalar(const Param& param) {
  const ScalarParam* scalar = as_scalar(param);
  return scalar != nullptr && (is_integer(scalar->dtype) || is_bool(scalar->dtype));
}

bool is_plain(const Carrier& carrier) {
  return carrier.source == Carrier::Source::kExtent && !carrier.nullable && carrier.packing == 1 &&
         carrier.coefficient == 1 && carrier.offset == 0;
}

class Compiler {
 public:
  Compiler(const Signature& signature, CheckScope scope) : signature_(signature), scope_(scope) {}

  Result<CheckList> compile() && {
    KMUX_TRY(check_limits());
    name_values();
    // Checks without symbols come first, so that a tensor is valid before its extents are used.
    for (std::size_t param = 0; param < signature_.params.size(); ++param) add_param(param);
    collect_dims();
    for (std::size_t symbol = 0; symbol < signature_.symbols.size(); ++symbol) KMUX_TRY(add_symbol(symbol));
    for (const Dim& dim : dims_) KMUX_TRY(add_computed(dim));
    return std::move(list_);
  }

 private:
  // An extent or stride that is not a constant.
  struct Dim {
    Carrier place;
    Expr expr;
    std::optional<std::size_t> symbol;  // the symbol that it carries
  };

  Status check_limits() const {
    bool within = signature_.params.size() <= kMaxCount;
    for (const Param& param : signature_.params) {
      const BufferParam* buffer = as_buffer(param);
      if (buffer == nullptr) continue;
      within = within && buffer->shape.size() <= kMaxCount;
      const std::int64_t alignment = required_alignment(*buffer);
      if ((alignment & (alignment - 1)) != 0) {
        return make_error(ErrorCode::kInvalidArgument, "parameter \"" + param.name + "\" is aligned to " +
                                                           std::to_string(alignment) +
                                                           " bytes (no power of two). Choose a power of two.");
      }
      if (!buffer->strides || buffer->strides->size() == buffer->shape.size()) continue;
      return make_error(ErrorCode::kInvalidArgument, "parameter \"" + param.name + "\" has " +
                                                         std::to_string(buffer->strides->size()) + " strides for " +
                                                         std::to_string(buffer->shape.size()) +
                                                         " dimensions. Give one a dimension, or none.");
    }
    if (within) return Ok{};
    return make_error(ErrorCode::kInvalidArgument, "the signature has more than " + std::to_string(kMaxCount) +
                                                       " parameters or dimensions. Pass less.");
  }

  bool is_present(const Param& param) const { return scope_ == CheckScope::kAll || !is_output(signature_, param.name); }

  void name_values() {
    for (const Symbol& symbol : signature_.symbols) list_.value_names.push_back(symbol.name);
    for (const Param& param : signature_.params) {
      const BufferParam* buffer = as_buffer(param);
      if (buffer == nullptr) continue;
      for (const Expr& expr : buffer->shape) name_scalars(expr);
      if (!buffer->strides) continue;
      for (const Expr& expr : *buffer->strides) name_scalars(expr);
    }
  }

  void name_scalars(const Expr& expr) {
    for (const std::string& name : symbols_of(expr)) {
      const Param* param = find_param(signature_, name);
      const bool is_new = !list_.value_index(name);
      if (is_new && param != nullptr && is_integer_scalar(*param)) list_.value_names.push_back(name);
    }
  }

  Check make(CheckKind kind, std::size_t param) const {
    Check check;
    check.kind = kind;
    check.param = static_cast<std::uint16_t>(param);
    return check;
  }

  void add_param(std::size_t position) {
    const Param& param = signature_.params[position];
    if (!is_present(param)) return;
    if (const BufferParam* buffer = as_buffer(param)) return add_buffer(position, *buffer);
    if (is_pointer(param)) return list_.checks.push_back(make(CheckKind::kPointer, position));
    Check check = make(CheckKind::kScalar, position);
    check.dtype = as_scalar(param)->dtype;
    list_.checks.push_back(check);
    const auto index = list_.value_index(param.name);
    if (!index) return;
    check.kind = CheckKind::kScalarValue;
    check.index = static_cast<std::uint32_t>(*index);
    list_.checks.push_back(check);
  }

  void add_buffer(std::size_t position, const BufferParam& buffer) {
    const std::size_t first = list_.checks.size();
    Check check = make(CheckKind::kTensor, position);
    check.nullable = buffer.nullable;
    check.written = buffer.inout || is_output(signature_, signature_.params[position].name);
    check.packing = packing(buffer);
    check.dtype = buffer.dtype;
    check.index = static_cast<std::uint32_t>(buffer.shape.size());
    check.value = required_alignment(buffer);
    list_.checks.push_back(check);
    add_constants(check, CheckKind::kExtent, buffer.shape);
    if (buffer.strides) {
      add_constants(check, CheckKind::kStride, *buffer.strides);
    } else if (!buffer.shape.empty()) {
      list_.checks.push_back(make(CheckKind::kContiguous, position));
    }
    list_.checks[first].count = static_cast<std::uint32_t>(list_.checks.size() - first - 1);
  }

  // A storage type multiplies the innermost extent, so the rank must not be 0.
  static std::uint8_t packing(const BufferParam& buffer) {
    return buffer.shape.empty() ? std::uint8_t{1} : packing_of(buffer.dtype);
  }

  void add_constants(const Check& tensor, CheckKind kind, const std::vector<Expr>& exprs) {
    for (std::size_t dim = 0; dim < exprs.size(); ++dim) {
      const Expr value = simplify(exprs[dim]);
      if (!value.is_constant()) continue;
      Check check = make(kind, tensor.param);
      check.packing = tensor.packing;
      check.dim = static_cast<std::uint16_t>(dim);
      check.value = value.constant();
      list_.checks.push_back(check);
    }
  }

  // Extents of all parameters come before strides of any: an extent is the better source of a symbol.
  void collect_dims() {
    for (std::size_t param = 0; param < signature_.params.size(); ++param) {
      const BufferParam* buffer = as_buffer(signature_.params[param]);
      if (buffer != nullptr) collect(param, *buffer, Carrier::Source::kExtent, buffer->shape);
    }
    for (std::size_t param = 0; param < signature_.params.size(); ++param) {
      const BufferParam* buffer = as_buffer(signature_.params[param]);
      if (buffer == nullptr || !buffer->strides) continue;
      collect(param, *buffer, Carrier::Source::kStride, *buffer->strides);
    }
  }

  void collect(std::size_t param, const BufferParam& buffer, Carrier::Source source, const std::vector<Expr>& exprs) {
    if (!is_present(signature_.params[param])) return;
    for (std::size_t i = 0; i < exprs.size(); ++i) {
      const Expr expr = simplify(exprs[i]);
      if (expr.is_constant()) continue;
      Dim dim{{source, buffer.nullable, packing(buffer)}, expr, std::nullopt};
      dim.place.param = static_cast<std::uint16_t>(param);
      dim.place.dim = static_cast<std::uint16_t>(i);
      if (const auto linear = as_linear(expr)) {
        dim.place.coefficient = linear->coefficient;
        dim.place.offset = linear->offset;
        const auto index = list_.value_index(linear->symbol);
        if (index && *index < signature_.symbols.size()) dim.symbol = index;
      }
      dims_.push_back(std::move(dim));
    }
  }

  Status add_symbol(std::size_t index) {
    const Symbol& symbol = signature_.symbols[index];
    Check check = make(CheckKind::kSymbol, 0);
    check.narrow = symbol.dtype == dtype::kInt32;
    check.index = static_cast<std::uint32_t>(index);
    check.value = static_cast<std::int64_t>(list_.carriers.size());
    for (const Dim& dim : dims_) {
      if (dim.symbol == index) list_.carriers.push_back(dim.place);
    }
    const auto carriers = std::span<const Carrier>(list_.carriers).subspan(static_cast<std::size_t>(check.value));
    check.count = static_cast<std::uint32_t>(carriers.size());
    check.plain = !carriers.empty() && std::ranges::all_of(carriers, is_plain);
    if (check.count == 0 && scope_ == CheckScope::kAll) {
      return make_error(ErrorCode::kInvalidArgument,
                        "symbol \"" + symbol.name +
                            "\" cannot be determined (no extent or stride is linear in it alone). Use it alone as an "
                            "extent, or make it a scalar parameter.");
    }
    list_.checks.push_back(check);
    return Ok{};
  }

  Status add_computed(const Dim& dim) {
    if (dim.symbol) return Ok{};
    const auto index = [this](std::string_view name) { return list_.value_index(name); };
    KMUX_ASSIGN(ExprCode code, ExprCode::compile(dim.expr, index));
    const bool is_extent = dim.place.source == Carrier::Source::kExtent;
    Check check = make(is_extent ? CheckKind::kComputedExtent : CheckKind::kComputedStride, dim.place.param);
    check.nullable = dim.place.nullable;
    check.packing = dim.place.packing;
    check.dim = dim.place.dim;
    check.index = static_cast<std::uint32_t>(list_.codes.size());
    list_.expressions.push_back(dim.expr);
    list_.codes.push_back(std::move(code));
    list_.checks.push_back(check);
    return Ok{};
  }

  const Signature& signature_;
  CheckScope scope_;
  CheckList list_;
  std::vector<Dim> dims_;
};

}  // namespace

std::optional<std::size_t> CheckList::value_index(std::string_view name) const {
  const auto found = std::ranges::find(value_names, name);
  if (found == value_names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - value_names.begin());
}

Result<CheckList> compile_checks(const Signature& signature, CheckScope scope) {
  return Compiler(signature, scope).compile();
}

std::int64_t required_alignment(const BufferParam& buffer) {
  if (buffer.alignment_bytes > 0) return buffer.alignment_bytes;
  const std::int64_t bits = total_bits(buffer.dtype);
  const bool is_power = bits > 0 && (bits & (bits - 1)) == 0;
  const std::int64_t natural = (is_power ? bits : std::int64_t{buffer.dtype.bits}) / 8;
  return std::clamp<std::int64_t>(natural, 1, kMaxNaturalAlignment);
}

std::uint8_t packing_of(DType type) { return packing_of(to_dldatatype(type)); }

bool is_storage_of(DType expected, DType actual) {
  return is_storage_of(to_dldatatype(expected), to_dldatatype(actual));
}

}  // namespace kmux
