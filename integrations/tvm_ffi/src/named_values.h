#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <tvm/ffi/any.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/string.h>

#include "kmux/compile.h"
#include "kmux/jit_options.h"
#include "kmux/par_compile.h"
#include "kmux/policy.h"
#include "kmux/resolver.h"

#include "raised.h"

namespace kmux::bridge {

/// Options by name: keyword arguments in Python, a map in other languages.
using NamedValues = ffi::Map<ffi::String, ffi::Any>;

/// A callback that receives the place of a program that is left out, and the reason.
using LeftOut = std::function<void(std::size_t index, const Error& error)>;

using Milliseconds = std::chrono::milliseconds;

/// Reads a value as the type of `out`. Returns false for a value of another type. Numbers with a fraction and durations
/// are seconds.
bool read(const ffi::Any& value, std::string& out);
bool read(const ffi::Any& value, bool& out);
bool read(const ffi::Any& value, int& out);
bool read(const ffi::Any& value, std::uint64_t& out);
bool read(const ffi::Any& value, double& out);
bool read(const ffi::Any& value, Milliseconds& out);
bool read(const ffi::Any& value, std::vector<std::string>& out);
bool read(const ffi::Any& value, std::vector<int>& out);
bool read(const ffi::Any& value, Options& out);
bool read(const ffi::Any& value, LeftOut& out);
bool read(const ffi::Any& value, std::optional<Policy>& out);
bool read(const ffi::Any& value, std::optional<Isolation>& out);
template <class T>
bool read(const ffi::Any& value, std::optional<T>& out) {
  return read(value, out.emplace());
}

/// Returns the type that `read` expects for such a field, for messages: "a string".
constexpr std::string_view noun_of(const std::string*) { return "a string"; }
constexpr std::string_view noun_of(const Policy*) { return "a string"; }
constexpr std::string_view noun_of(const Isolation*) { return "a string"; }
constexpr std::string_view noun_of(const bool*) { return "a bool"; }
constexpr std::string_view noun_of(const int*) { return "an int"; }
constexpr std::string_view noun_of(const std::uint64_t*) { return "an int of at least 0"; }
constexpr std::string_view noun_of(const double*) { return "a number of seconds"; }
constexpr std::string_view noun_of(const Milliseconds*) { return "a number of seconds"; }
constexpr std::string_view noun_of(const std::vector<std::string>*) { return "a list of strings"; }
constexpr std::string_view noun_of(const std::vector<int>*) { return "a list of ints"; }
constexpr std::string_view noun_of(const LeftOut*) { return "a function"; }
constexpr std::string_view noun_of(const Options*) { return "a dict of strings, numbers and bools"; }
template <class T>
constexpr std::string_view noun_of(const std::optional<T>*) {
  return noun_of(static_cast<const T*>(nullptr));
}

/// A member of `Options` that callers set by its name.
template <class Options>
struct Field {
  std::string_view name;
  std::string_view noun;
  bool (*set)(Options& options, const ffi::Any& value);
};

template <auto kMember, class Options, class T>
constexpr Field<Options> field_of(std::string_view name, T Options::*) {
  return {name, noun_of(static_cast<const T*>(nullptr)),
          [](Options& options, const ffi::Any& value) { return read(value, options.*kMember); }};
}

/// Returns the field of that member.
template <auto kMember>
constexpr auto field(std::string_view name) {
  return field_of<kMember>(name, kMember);
}

/// Returns the field of a member that `Options` inherits.
template <class Options, auto kMember>
constexpr Field<Options> inherited_field(std::string_view name) {
  using T = std::remove_reference_t<decltype(std::declval<Options&>().*kMember)>;
  return field_of<kMember>(name, static_cast<T Options::*>(kMember));
}

/// The options of a parallel compilation, and whether a failure ends it.
struct ParSettings : ParCompileOptions {
  bool ignore_error = false;  // true: a failed program is None in the result and reported to `left_out`
  LeftOut left_out = {};  // called for each failure, in input order, once all have ended

  /// Returns the kernels that `all` or `each` makes: `all` ends at a failure, `each` returns a result for each program.
  template <class All, class Each>
  std::vector<std::optional<Kernel>> compile(All all, Each each) const;
};

/// The options of a wrapper and of its compilations.
struct JitSettings : CompileOptions, JitOptions {};

/// The errors of `set_fields`.
ffi::Error unknown_name(std::string_view name, const std::vector<std::string>& known);
ffi::Error wrong_value(std::string_view name, std::string_view noun, const ffi::Any& value);

template <class Options>
const Field<Options>& find_field(std::string_view name, std::span<const Field<Options>> fields) {
  std::vector<std::string> known;
  for (const Field<Options>& candidate : fields) {
    if (candidate.name == name) return candidate;
    known.emplace_back(candidate.name);
  }
  throw unknown_name(name, known);
}

/// Sets the fields that `values` name; None leaves a field unchanged.
///
/// Errors: TypeError for an unknown name (with a suggestion) and for a value of another type.
template <class Options>
void set_fields(Options& options, const NamedValues& values, std::span<const Field<Options>> fields) {
  for (const auto& [key, value] : values) {
    const std::string_view name(key.data(), key.size());
    const Field<Options>& target = find_field(name, fields);
    if (value == nullptr) continue;
    if (!target.set(options, value)) throw wrong_value(name, target.noun, value);
  }
}

/// Returns options of the runtime from named values; the names are those of the C++ structs.
///
/// Errors: TypeError for an unknown name, with a suggestion, and for a value of another type.
CompileOptions compile_options(const NamedValues& values);
CompileOptions resolve_options(const NamedValues& values);  // those that matter before a compilation
ParSettings par_settings(const NamedValues& values);
JitSettings jit_settings(const NamedValues& values);

template <class All, class Each>
std::vector<std::optional<Kernel>> ParSettings::compile(All all, Each each) const {
  std::vector<std::optional<Kernel>> kernels;
  if (!ignore_error) {
    for (Kernel& kernel : value_of(all(*this))) kernels.emplace_back(std::move(kernel));
    return kernels;
  }
  for (Result<Kernel>& result : value_of(each(*this))) {
    if (!result && left_out) left_out(kernels.size(), result.error());
    kernels.push_back(result ? std::optional(*std::move(result)) : std::nullopt);
  }
  return kernels;
}

}  // namespace kmux::bridge
