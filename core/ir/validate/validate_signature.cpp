#include <algorithm>

#include "base/quoted.h"
#include "ir/buffer_span.h"
#include "ir/dtype_place.h"
#include "validation.h"

namespace kmux {

namespace {

Name name_of(const Param& param) {
  if (const BufferParam* buffer = as_buffer(param)) {
    const std::optional<Expr> bytes = span_bytes(*buffer);
    return {NameKind::kBuffer, buffer->dtype, buffer->nullable, {}, bytes ? constant_of(*bytes) : std::nullopt};
  }
  if (const ScalarParam* scalar = as_scalar(param)) return {NameKind::kScalar, scalar->dtype};
  return {NameKind::kPointer};
}

// Checks one signature; the members share its parts.
class SignatureChecker {
 public:
  SignatureChecker(const Signature& signature, const Scope& scope, ProblemList& problems)
      : signature_(signature), scope_(scope), problems_(problems) {}

  void check(const JsonPointer& at) {
    const std::size_t slots = signature_.params.size() + signature_.symbols.size();
    if (slots > kMaxSlots) {
      problems_.add(at, "the signature has " + std::to_string(slots) + " parameters and symbols (the limit is " +
                            std::to_string(kMaxSlots) + "). Pass fewer.");
      return;
    }
    order_ = symbol_order(signature_);
    for (std::size_t i = 0; i < signature_.params.size(); ++i) param(signature_.params[i], at / "params" / i);
    for (std::size_t i = 0; i < signature_.outputs.size(); ++i) output(i, at / "outputs" / i);
    for (std::size_t i = 0; i < signature_.symbols.size(); ++i) symbol(signature_.symbols[i], at / "symbols" / i);
    order(at / "symbols");
  }

 private:
  void param(const Param& param, const JsonPointer& at) {
    scope_.check(param.name, at / "name", problems_);
    if (const BufferParam* found = as_buffer(param)) buffer(*found, at / "buffer");
    if (const ScalarParam* found = as_scalar(param)) scalar(*found, at / "scalar");
  }

  void refuse(const std::string& what, DType type, DTypePlace place, const JsonPointer& at) {
    problems_.add(at / "dtype",
                  what + in_double_quotes(to_string(type)) + ". Use " + std::string(allowed_dtypes(place)) + ".");
  }

  void buffer(const BufferParam& buffer, const JsonPointer& at) {
    const DType type = buffer.dtype;
    if (!is_allowed(type, DTypePlace::kBuffer)) {
      refuse("a buffer cannot hold ", type, DTypePlace::kBuffer, at);
    } else if (type.lanes == 0) {
      problems_.add(at / "dtype", "a dtype of 0 lanes has no elements. Use 1 or more.");
    }
    if (buffer.shape.size() > kMaxRank) {
      problems_.add(at / "shape", "rank " + std::to_string(buffer.shape.size()) + " (the limit is " +
                                      std::to_string(kMaxRank) + "). Merge dimensions.");
    }
    exprs(buffer.shape, "extent", at / "shape");
    if (buffer.strides) strides(buffer, at / "strides");
    if (buffer.alignment_bytes != 0 && !is_power_of_two(buffer.alignment_bytes)) {
      problems_.add(at / "alignment_bytes", "an alignment of " + std::to_string(buffer.alignment_bytes) +
                                                " bytes is no power of two. Use one, or 0 for the natural alignment.");
    }
  }

  void strides(const BufferParam& buffer, const JsonPointer& at) {
    exprs(*buffer.strides, "stride", at);
    if (buffer.strides->size() == buffer.shape.size()) return;
    problems_.add(at, std::to_string(buffer.strides->size()) + " strides for " + std::to_string(buffer.shape.size()) +
                          " dimensions. Give one a dimension, or none for a contiguous buffer.");
  }

  void exprs(const std::vector<Expr>& exprs, const std::string& what, const JsonPointer& at) {
    for (std::size_t i = 0; i < exprs.size(); ++i) {
      check_expr(exprs[i], ExprPlace::kShape, scope_, at / i, problems_);
      const std::optional<std::int64_t> value = constant_of(exprs[i]);
      if (!value || *value >= 0) continue;
      problems_.add(at / i, what + " is " + std::to_string(*value) + " (negative). Correct it.");
    }
  }

  void scalar(const ScalarParam& scalar, const JsonPointer& at) {
    if (is_allowed(scalar.dtype, DTypePlace::kScalar)) return;
    refuse("a scalar cannot be ", scalar.dtype, DTypePlace::kScalar, at);
  }

  void output(std::size_t index, const JsonPointer& at) {
    const std::string& name = signature_.outputs[index];
    const Name* found = require_name(name, {NameKind::kBuffer}, "a buffer parameter", scope_, at, problems_);
    if (found == nullptr) return;
    const auto begin = signature_.outputs.begin();
    if (std::find(begin, begin + static_cast<std::ptrdiff_t>(index), name) !=
        begin + static_cast<std::ptrdiff_t>(index)) {
      problems_.add(at, "output " + in_double_quotes(name) + " is named twice. Remove it here.");
    }
    if (found->nullable) {
      problems_.add(
          at, "output " + in_double_quotes(name) + " is nullable (an output is always there). Remove \"nullable\".");
    }
  }

  void symbol(const Symbol& symbol, const JsonPointer& at) {
    scope_.check(symbol.name, at / "name", problems_);
    if (!is_allowed(symbol.dtype, DTypePlace::kSymbol)) {
      refuse("a symbol cannot be ", symbol.dtype, DTypePlace::kSymbol, at);
    }
    if (std::ranges::find(order_, symbol.name) == order_.end()) {
      problems_.add(at, "no shape or stride uses symbol " + in_double_quotes(symbol.name) +
                            ". Remove it, or make it an integer scalar parameter.");
    } else if (!has_live_carrier(symbol.name)) {
      problems_.add(at, "symbol " + in_double_quotes(symbol.name) +
                            " cannot be solved (no dimension or stride of an input that " + "must be there is " +
                            in_double_quotes(symbol.name) + ", or linear in it alone). Add such a " +
                            "dimension, or make it an integer scalar parameter.");
    }
  }

  // Outputs carry nothing: a call allocates them from the symbols.
  bool has_live_carrier(const std::string& symbol) const {
    const auto carries = [&](const Expr& expr) {
      const std::optional<Linear> linear = as_linear(expr);
      return linear && linear->symbol == symbol;
    };
    return std::ranges::any_of(signature_.params, [&](const Param& param) {
      const BufferParam* buffer = as_buffer(param);
      if (buffer == nullptr || buffer->nullable || is_output(signature_, param.name)) return false;
      return std::ranges::any_of(buffer->shape, carries) ||
             (buffer->strides && std::ranges::any_of(*buffer->strides, carries));
    });
  }

  void order(const JsonPointer& at) {
    std::vector<std::string> expected;
    for (const std::string& name : order_) {
      if (std::ranges::find(signature_.symbols, name, &Symbol::name) != signature_.symbols.end()) {
        expected.push_back(name);
      }
    }
    std::vector<std::string> actual;
    for (const Symbol& symbol : signature_.symbols) {
      if (std::ranges::find(expected, symbol.name) != expected.end()) actual.push_back(symbol.name);
    }
    if (actual == expected || actual.size() != expected.size()) return;
    std::string text;
    for (const std::string& name : expected) text += (text.empty() ? "" : ", ") + in_double_quotes(name);
    problems_.add(at, "the symbols are not in slot order. Order them " + text + ".");
  }

  const Signature& signature_;
  const Scope& scope_;
  ProblemList& problems_;
  std::vector<std::string> order_ = {};
};

}  // namespace

Scope scope_of(const Signature& signature, const JsonPointer& at) {
  Scope scope;
  for (std::size_t i = 0; i < signature.params.size(); ++i) {
    scope.declare(signature.params[i].name, name_of(signature.params[i]), at / "params" / i / "name");
  }
  for (std::size_t i = 0; i < signature.symbols.size(); ++i) {
    const Symbol& symbol = signature.symbols[i];
    scope.declare(symbol.name, {NameKind::kSymbol, symbol.dtype}, at / "symbols" / i / "name");
  }
  return scope;
}

void check_signature(const Signature& signature, const Scope& scope, const JsonPointer& at, ProblemList& problems) {
  SignatureChecker(signature, scope, problems).check(at);
}

}  // namespace kmux
