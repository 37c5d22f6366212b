#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kmux/arg.h"
#include "kmux/dispatch.h"
#include "kmux/error.h"
#include "kmux/kernel_attributes.h"
#include "kmux/tensor.h"

namespace kmux::bench {

/// What --set, --symbol and --scalar give, each as NAME=VALUE.
struct GivenValues {
  std::vector<std::string> set = {};
  std::vector<std::string> symbols = {};
  std::vector<std::string> scalars = {};
};

/// The values of symbols and integer scalars that a run has: from --set, --symbol, --scalar, the shapes of input files, and
/// last the program's example values.
class Binding {
 public:
  /// Knows nothing yet. Lifetime: borrows the program.
  explicit Binding(const Program& program);

  /// --symbol NAME=INTEGER.
  ///
  /// Errors: invalid_argument for an unknown name (with the nearest known one), no integer, or a second value.
  Status set_symbol(const std::string& assignment);
  /// --scalar NAME=NUMBER.
  Status set_scalar(const std::string& assignment);
  /// --set NAME=VALUE, a symbol or a scalar.
  ///
  /// Errors: as of those two; for the name of a tensor one that names --in.
  Status set(const std::string& assignment);
  /// All that is given.
  ///
  /// Errors: as of those three; for a name that two of them give.
  Status take(const GivenValues& given);
  /// Takes the symbols that --symbol leaves open from the shape of a tensor, read from a file for parameter `name`. Two
  /// files that disagree are left to the kernel's own checks.
  ///
  /// Errors: invalid_argument if an extent has another value by --symbol or --scalar.
  Status learn(const std::string& name, const BufferParam& buffer, const Tensor& tensor);

  /// The shape of `buffer` in numbers.
  ///
  /// Errors: invalid_argument that names a symbol without a value and the option that gives it.
  Result<std::vector<std::int64_t>> shape_of(const Param& param) const;
  /// The value of an expression over symbols, integer scalars and `lets`, or nothing if one has no value.
  std::optional<std::int64_t> evaluate(const Expr& expr, std::span<const Let> lets = {}) const;
  /// Is anything known of symbol or scalar `name`?
  bool has_value(std::string_view name) const;
  /// The argument for scalar parameter `name`.
  Result<Arg> scalar(const std::string& name, DType dtype) const;
  /// The symbols and scalars whose values are the program's examples, as nothing else gives one.
  std::map<std::string, double> examples() const;

 private:
  std::optional<std::int64_t> integer(std::string_view name) const;
  std::optional<std::int64_t> given(std::string_view name) const;
  Status take_symbol(const std::string& name, const std::string& text);
  Status take_scalar(const std::string& name, const std::string& text);
  static Error no_value(const std::string& buffer, const std::string& name);
  const Program& program_;
  std::map<std::string, std::int64_t, std::less<>> symbols_;  // given by --symbol
  std::map<std::string, std::int64_t, std::less<>> learned_;
  std::map<std::string, double, std::less<>> scalars_;
  std::map<std::string, std::int64_t, std::less<>> integers_;  // scalars given as integers, exact beyond 2^53
};

/// The least occupancy of the launches of a kernel in `variant`, of those whose block and shared memory `binding` knows.
/// Nothing where there is none, or the backend does not say what it takes.
std::optional<Occupancy> occupancy_of(const KernelAttributes& kernel, const Variant& variant, const Binding& binding);

/// The tensors of `program`, for messages.
std::string tensor_names(const Program& program);

/// The whole of `text` as a number of type T, or nothing.
std::optional<std::int64_t> parse_integer(std::string_view text);
/// The same for numbers with a fraction.
std::optional<double> parse_number(std::string_view text);

/// "NAME=VALUE" apart.
///
/// Errors: invalid_argument that shows `option` and the form.
Result<std::pair<std::string, std::string>> split_assignment(std::string_view option, std::string_view text);

}  // namespace kmux::bench
