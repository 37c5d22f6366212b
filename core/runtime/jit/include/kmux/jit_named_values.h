#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "kmux/error.h"
#include "kmux/export.h"
#include "kmux/guarded.h"
#include "kmux/jit_described.h"
#include "kmux/json.h"

namespace kmux {

/// A value for the member `name` of a configuration: a described::Value, or JSON.
struct NamedValue {
  std::string name;  // a keyword argument
  Json value;  // given

  /// Takes `json` as it is.
  NamedValue(std::string member, Json json) : name(std::move(member)), value(std::move(json)) {}
  /// Takes a string.
  NamedValue(std::string member, const char* text) : name(std::move(member)), value(text) {}
  /// Converts `given` to JSON.
  template <described::Value T>
  NamedValue(std::string member, const T& given) : name(std::move(member)), value(described::to_json(given)) {}
};

/// A configuration given by names, in any order. Members that are not named have their defaults.
using NamedValues = std::vector<NamedValue>;

/// Both forms of a configuration, for lists that mix them.
template <class Config>
using ConfigForm = std::variant<Config, NamedValues>;

/// Returns ok, or invalid_argument with the name that is given twice.
KMUX_API Status check_named_once(const NamedValues& values);

/// Returns the default configuration with `values` applied. Converts integers for floating-point members, and nothing
/// else.
///
/// Errors: invalid_argument for an unknown name (the message lists the known ones), a name given twice, or a value of
///         another type.
template <described::Struct Config>
Result<Config> config_from(const NamedValues& values) {
  return guarded([&]() -> Result<Config> {
    KMUX_TRY(check_named_once(values));
    Config config{};
    for (const NamedValue& named : values) KMUX_TRY(described::assign_member(config, named.name, named.value));
    return config;
  });
}

/// Returns the configuration that `form` holds or names.
template <described::Struct Config>
Result<Config> config_from(const ConfigForm<Config>& form) {
  return guarded([&]() -> Result<Config> {
    if (const Config* config = std::get_if<Config>(&form)) return *config;
    return config_from<Config>(std::get<NamedValues>(form));
  });
}

/// A member of a wrapper's configuration.
struct JitParameter {
  std::string name;  // of the function
  std::string type;  // "int64", "list[float64]", ...
  Json default_value;  // used where no value is given
  bool operator==(const JitParameter&) const = default;
};

/// The parameters of a wrapper's function, in the order of the configuration's description.
struct JitSignature {
  std::vector<JitParameter> parameters;  // in order
  bool operator==(const JitSignature&) const = default;
};

/// Returns "(block_m: int64 = 64, dtype: dtype = "float16")".
KMUX_API std::string to_string(const JitSignature& signature);

/// Returns the signature of a function that takes a `Config`.
template <described::Struct Config>
JitSignature jit_signature() {
  JitSignature signature;
  described::for_each_member(static_cast<const Config&>(Config{}), [&]<class T>(std::string_view name, const T& value) {
    signature.parameters.push_back({std::string(name), described::type_name<T>(), described::to_json(value)});
  });
  return signature;
}

}  // namespace kmux
