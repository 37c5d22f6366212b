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

/// The values of --set, --symbol and --scalar, each as NAME=VALUE.
struct GivenValues {
  std::vector<std::string> set = {};
  std::vector<std::string> symbols = {};
  std::vector<std::string> scalars = {};
};

/// The values of symbols and integer scalars in a run. Sources, in this order: --set, --symbol and --scalar, the shapes
/// of input files, the program's example values.
class Binding {
 public:
  /// Creates an empty binding. Lifetime: `program` must outlive it.
  explicit Binding(const Program& program);

  /// Parses --symbol NAME=INTEGER.
  ///
  /// Errors: invalid_argument for an unknown name (with the nearest known one), an invalid integer, or a second value.
  Status set_symbol(const std::string& assignment);
  /// Parses --scalar NAME=NUMBER. Scalars NAME_re and NAME_im are also one, of complex numbers: --scalar NAME=1+2j.
  Status set_scalar(const std::string& assignment);
  /// Parses --set NAME=VALUE, for a symbol or a scalar.
  ///
  /// Errors: as for those two; for a tensor's name one that mentions --in.
  Status set(const std::string& assignment);
  /// Parses all given values.
  ///
  /// Errors: as for those three; also for a name given twice.
  Status take(const GivenValues& given);
  /// Derives symbols that --symbol leaves open from the shape of a tensor that was read from a file for parameter
  /// `name`. Conflicts between two files are left to the kernel's own checks.
  ///
  /// Errors: invalid_argument if an extent contradicts --symbol or --scalar.
  Status learn(const std::string& name, const BufferParam& buffer, const Tensor& tensor);

  /// Returns the shape of `param`, which must be a buffer, as numbers.
  ///
  /// Errors: invalid_argument that names a symbol without a value and the option to set it.
  Result<std::vector<std::int64_t>> shape_of(const Param& param) const;
  /// Returns the value of an expression over symbols, integer scalars and `lets`, or nothing if one has no value.
  std::optional<std::int64_t> evaluate(const Expr& expr, std::span<const Let> lets = {}) const;
  /// Returns true if symbol or scalar `name` has a value.
  bool has_value(std::string_view name) const;
  /// Returns the argument for scalar parameter `name`.
  Result<Arg> scalar(const std::string& name, DType dtype) const;
  /// Returns the symbols and scalars whose values come only from the program's examples.
  std::map<std::string, double> examples() const;

 private:
  std::optional<std::int64_t> integer(std::string_view name) const;
  std::optional<std::int64_t> given(std::string_view name) const;
  Status take_symbol(const std::string& name, const std::string& text);
  Status take_scalar(const std::string& name, const std::string& text);
  Status take_complex(const std::string& name, const std::string& text);
  static Error no_value(const std::string& buffer, const std::string& name);
  const Program& program_;
  std::map<std::string, std::int64_t, std::less<>> symbols_;  // given by --symbol
  std::map<std::string, std::int64_t, std::less<>> learned_;
  std::map<std::string, double, std::less<>> scalars_;
  std::map<std::string, std::int64_t, std::less<>> integers_;  // scalars given as integers, exact beyond 2^53
};

/// Returns the lowest occupancy of the kernel's launches in `variant` whose block and shared memory `binding` knows.
/// Returns nothing if there are no such launches, or the backend does not report its resources.
std::optional<Occupancy> occupancy_of(const KernelAttributes& kernel, const Variant& variant, const Binding& binding);

/// Returns the names of the tensors of `program`, for messages.
std::string tensor_names(const Program& program);

/// Returns all of `text` as an integer, or nothing.
std::optional<std::int64_t> parse_integer(std::string_view text);
/// Same for numbers with a fraction.
std::optional<double> parse_number(std::string_view text);

/// Returns the real and the imaginary part of "2", "1+2j", "(1+2j)", "-1.5e3-2i" or "2j", as numbers in decimal digits;
/// nothing for other text.
std::optional<std::pair<std::string, std::string>> parse_complex(std::string_view text);

/// Splits "NAME=VALUE".
///
/// Errors: invalid_argument that shows `option` and the expected form.
Result<std::pair<std::string, std::string>> split_assignment(std::string_view option, std::string_view text);

}  // namespace kmux::bench
