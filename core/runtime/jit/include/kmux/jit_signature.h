#pragma once

#include <string>
#include <vector>

#include "kmux/export.h"
#include "kmux/jit_described.h"
#include "kmux/json.h"

namespace kmux {

/// A member of a wrapper's configuration.
struct JitParameter {
  std::string name;
  std::string type;    // "int64", "list[float64]", ...
  Json default_value;  // what it is if nobody says
  bool operator==(const JitParameter&) const = default;
};

/// The parameters of a wrapper's function, in the order of the configuration's description.
struct JitSignature {
  std::vector<JitParameter> parameters;
  bool operator==(const JitSignature&) const = default;
};

/// "(block_m: int64 = 64, dtype: dtype = "float16")".
KMUX_API std::string to_string(const JitSignature& signature);

/// The signature of a function that takes a `Config`.
template <described::Struct Config>
JitSignature jit_signature() {
  JitSignature signature;
  described::for_each_member(static_cast<const Config&>(Config{}), [&]<class T>(std::string_view name, const T& value) {
    signature.parameters.push_back({std::string(name), described::type_name<T>(), described::to_json(value)});
  });
  return signature;
}

}  // namespace kmux
