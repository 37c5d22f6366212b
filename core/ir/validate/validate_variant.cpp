#include <algorithm>
#include <cmath>
#include <map>

#include "kmux/plugin/quoting.h"
#include "kmux/plugin/word_list.h"

#include "ir/arithmetic.h"
#include "ir/expr_json.h"
#include "ir/json_reader.h"
#include "validation.h"

namespace kmux {
namespace {

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

// Returns true if `text` is not empty and has only letters, digits and characters of `also`.
bool is_word_with(std::string_view text, std::string_view also) {
  const auto allowed = [&](char c) { return is_letter_or_digit(c) || also.find(c) != std::string_view::npos; };
  return !text.empty() && std::ranges::all_of(text, allowed);
}

bool is_standard(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return is_letter_or_digit(c) || c == '+'; });
}

bool is_define(std::string_view text) {
  const std::string_view name = text.substr(0, text.find('='));
  const bool is_name = is_word_with(name, "_") && (name.front() < '0' || name.front() > '9');
  return is_name && is_text(text) && text.find_first_of("\n\r") == std::string_view::npos;
}

bool is_prelude(std::string_view text) {
  const bool is_option = text.starts_with('-') || text.starts_with('@');  // a compiler option, or an option file
  return !text.empty() && !is_option && !text.starts_with("kmux-") && is_text(text) &&
         text.find_first_of("\"<>\n\r\\") == std::string_view::npos;
}

// Returns true for a package name followed by a pip version specifier, without blanks.
bool is_requirement(std::string_view text) {
  return is_word_with(text, "_-.,<>=!~[]*") && is_letter_or_digit(text.front());
}

bool is_flag(std::string_view text) {
  return text.size() > 1 && text.front() == '-' && is_text(text) &&
         text.find_first_of("\n\r") == std::string_view::npos;
}

// Checks one variant except its body.
class VariantChecker {
 public:
  VariantChecker(const Variant& variant, ProblemList& problems) : variant_(variant), problems_(problems) {}

  void check(const Dialect* dialect, const JsonPointer& at) {
    if (!is_dialect(variant_.dialect)) unknown_dialect(at / "dialect");
    words(variant_.requirements.arch, "an architecture", at / "requires" / "arch");
    words(variant_.requirements.features, "a feature", at / "requires" / "features");
    settings(at / "settings");
    sources(at / "sources");
    files(variant_.headers, at / "headers");
    if (dialect != nullptr && dialect->is_binary) binary(*dialect, at);
  }

 private:
  void unknown_dialect(const JsonPointer& at) {
    std::vector<std::string> known;
    for (const Dialect& dialect : all_dialects()) known.emplace_back(dialect.name);
    problems_.add(at, "unknown dialect " + in_double_quotes(variant_.dialect) + "." +
                          suggestion(variant_.dialect, known) + " Use " + listed(known) + ".");
  }

  void words(const std::vector<std::string>& list, const std::string& what, const JsonPointer& at) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (is_word_with(list[i], "_-+.")) continue;
      problems_.add(at / i,
                    in_double_quotes(list[i]) + " is not " + what + ". Use letters, digits, '_', '-', '+' and '.'.");
    }
  }

  void settings(const JsonPointer& at) {
    const Settings& settings = variant_.settings;
    if (!is_standard(settings.standard)) {
      problems_.add(at / "standard",
                    in_double_quotes(settings.standard) + " is not a standard. Use one such as \"c++17\".");
    }
    for (std::size_t i = 0; i < settings.defines.size(); ++i) {
      if (is_define(settings.defines[i])) continue;
      problems_.add(at / "defines" / i,
                    in_double_quotes(settings.defines[i]) + " is not a define. Use NAME or NAME=VALUE on one line.");
    }
    for (std::size_t i = 0; i < settings.preludes.size(); ++i) {
      if (is_prelude(settings.preludes[i])) continue;
      problems_.add(at / "preludes" / i,
                    in_double_quotes(settings.preludes[i]) +
                        " is not a header name. Leave out quotes, angle brackets and backslashes, and begin it with "
                        "neither '-', '@' nor \"kmux-\".");
    }
    words(settings.include_hints, "a package name", at / "include_hints");
    for (std::size_t i = 0; i < settings.python_requires.size(); ++i) {
      if (is_requirement(settings.python_requires[i])) continue;
      problems_.add(at / "python_requires" / i, in_double_quotes(settings.python_requires[i]) +
                                                    " is not a requirement. Use one such as \"package>=1.2,<2\".");
    }
    for (std::size_t i = 0; i < settings.compile_flags.size(); ++i) {
      if (is_flag(settings.compile_flags[i])) continue;
      problems_.add(at / "compile_flags" / i, in_double_quotes(settings.compile_flags[i]) +
                                                  " is not a compiler flag. Use one such as \"-O3\" on one line.");
    }
  }

  void sources(const JsonPointer& at) {
    if (variant_.sources.empty()) problems_.add(at, "the variant has no sources. Add the file that has its kernels.");
    files(variant_.sources, at);
  }

  void files(const std::vector<File>& files, const JsonPointer& at) {
    for (std::size_t i = 0; i < files.size(); ++i) {
      const std::string& path = files[i].path;
      const JsonPointer here = at / i / "path";
      std::string_view refusal = refusal_of_path(path);
      if (refusal.empty() && path.ends_with(".kmux.json")) refusal = "it may replace a program";
      if (!refusal.empty()) {
        problems_.add(here, "file path " + in_double_quotes(path) + " is refused (" + std::string(refusal) +
                                "). Use one such as \"src/gemm.cu\".");
      } else if (!paths_.emplace(path, here.text()).second) {
        problems_.add(
            here, "file path " + in_double_quotes(path) + " is taken (by " + paths_[path] + "). Rename one of them.");
      }
    }
  }

  void binary(const Dialect& dialect, const JsonPointer& at) {
    if (variant_.sources.size() > 1) {
      problems_.add(at / "sources", std::to_string(variant_.sources.size()) + " sources (dialect " +
                                        in_double_quotes(dialect.name) +
                                        " is one ready file). Make a variant of each.");
    }
    const std::string nothing = "dialect " + in_double_quotes(dialect.name) + " is not compiled. Remove ";
    if (!variant_.headers.empty()) problems_.add(at / "headers", nothing + "the headers.");
    if (variant_.settings != Settings{}) problems_.add(at / "settings", nothing + "the settings.");
  }

  const Variant& variant_;
  ProblemList& problems_;
  std::map<std::string, std::string> paths_ = {};
};

}  // namespace

void check_variant(const Variant& variant, const Scope& outer, const JsonPointer& at, ProblemList& problems) {
  const Dialect* dialect = find_dialect(variant.dialect);
  VariantChecker(variant, problems).check(dialect, at);
  check_body(variant.body, dialect, outer, at / "body", problems);
}

namespace {

void check_symbols(const Metadata& metadata, const Scope& scope, const JsonPointer& at, ProblemList& problems) {
  for (const auto& [name, value] : metadata.symbols) {
    const Name* found = require_name(name, {NameKind::kSymbol}, "a symbol", scope, at / name, problems);
    if (found == nullptr) continue;
    if (value < 0 || (found->dtype == dtype::kInt32 && value > INT32_MAX)) {
      problems.add(at / name,
                   "example value " + std::to_string(value) + " is not in the range of the symbol. Correct it.");
    }
  }
}

void check_scalars(const Metadata& metadata, const Scope& scope, const JsonPointer& at, ProblemList& problems) {
  for (const auto& [name, value] : metadata.scalars) {
    require_name(name, {NameKind::kScalar}, "a scalar parameter", scope, at / name, problems);
    if (!std::isfinite(value))
      problems.add(at / name, "the example value is not finite (JSON has no such number). Correct it.");
  }
}

}  // namespace

void check_metadata(const Metadata& metadata, const Scope& scope, const JsonPointer& at, ProblemList& problems) {
  check_text(metadata.description, at / "description", problems);
  check_text(metadata.origin, at / "origin", problems);
  check_text(metadata.reference, at / "reference", problems);
  check_symbols(metadata, scope, at / "symbols", problems);
  check_scalars(metadata, scope, at / "scalars", problems);
  if (metadata.flops) check_expr(*metadata.flops, ExprPlace::kBody, scope, at / "flops", problems);
  if (metadata.bytes) check_expr(*metadata.bytes, ExprPlace::kBody, scope, at / "bytes", problems);
}

namespace {

Name name_of(const Param& param) {
  if (const BufferParam* buffer = as_buffer(param)) {
    // Skips ranks above the limit, whose product could overflow the stack; `SignatureChecker` reports them.
    const std::optional<Expr> bytes = buffer->shape.size() > kMaxRank ? std::nullopt : span_bytes(*buffer);
    return {NameKind::kBuffer, buffer->dtype, buffer->nullable, {}, bytes ? constant_of(*bytes) : std::nullopt};
  }
  if (const ScalarParam* scalar = as_scalar(param)) return {NameKind::kScalar, scalar->dtype};
  return {NameKind::kPointer};
}

// Checks one signature; the members share the signature, its scope and the problem list.
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
      problems_.add(at / "alignment_bytes",
                    "an alignment of " + std::to_string(buffer.alignment_bytes) +
                        " bytes is not a power of two. Use one, or 0 for the natural alignment.");
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
    if (scalar.dtype.lanes == 1 && !is_complex(scalar.dtype)) {
      return refuse("a scalar cannot be ", scalar.dtype, DTypePlace::kScalar, at);
    }
    problems_.add(at / "dtype",
                  "a scalar cannot be " + in_double_quotes(to_string(scalar.dtype)) +
                      " (a scalar is one number). Pass its numbers by parameters of their own, as members of "
                      "one structure if the kernel takes them so.");
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
    if (as_buffer(*find_param(signature_, name))->inout) {
      problems_.add(at, "output " + in_double_quotes(name) +
                            " is inout (a call may allocate an output, and its caller passes an inout). Remove one.");
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

  // Outputs are not carriers: a call allocates them from the symbols.
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
