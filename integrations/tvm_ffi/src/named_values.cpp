#include "named_values.h"

#include <algorithm>
#include <array>
#include <limits>

#include <tvm/ffi/function.h>

#include "kmux/plugin/suggestion.h"

#include "argument.h"

namespace kmux::bridge {
namespace {

// Reads a value of a dict as the text that backends take. Their spelling of bools differs from Python's.
bool read_text(const ffi::Any& value, std::string& out) {
  if (const auto flag = value.as<bool>()) return out = *flag ? "true" : "false", true;
  if (const auto integer = value.as<std::int64_t>()) return out = std::to_string(*integer), true;
  return read(value, out);
}

template <class T>
bool read_list(const ffi::Any& value, std::vector<T>& out) {
  const auto list = value.as<ffi::Array<ffi::Any>>();
  if (!list) return false;
  for (const ffi::Any& element : *list) {
    if (!read(element, out.emplace_back())) return false;
  }
  return true;
}

// Names of our options in other libraries.
struct OtherName {
  std::string_view name;
  std::string_view ours;
};
constexpr OtherName kOtherNames[] = {
    {"backend", "execution_backend"},  {"pass_configs", "options"},    {"flags", "compile_flags"},
    {"include_paths", "include_dirs"}, {"timeout", "compile_timeout"}, {"cache", "use_cache"},
};

// Returns the hint for an unknown name.
std::string hint_for(std::string_view name, const std::vector<std::string>& known) {
  for (const OtherName& other : kOtherNames) {
    if (other.name == name && std::ranges::find(known, other.ours) != known.end()) {
      return " Write '" + std::string(other.ours) +
             (other.ours == "options" ? R"(' with the backend's own names, such as {"tier": "full"}.)" : "'.");
    }
  }
  return did_you_mean(name, known) + " Name one of these.";
}

// TVM's targets are dicts.
bool is_target_of_tvm(std::string_view name, const ffi::Any& value) {
  return name.starts_with("target") && value.as<ffi::Map<ffi::Any, ffi::Any>>().has_value();
}

// The fields of CompileOptions, for `Options` that are or inherit it.
template <class Options>
constexpr std::array kCompileFields = std::to_array<Field<Options>>({
    inherited_field<Options, &CompileOptions::target>("target"),
    inherited_field<Options, &CompileOptions::execution_backend>("execution_backend"),
    inherited_field<Options, &CompileOptions::target_host>("target_host"),
    inherited_field<Options, &CompileOptions::out_idx>("out_idx"),
    inherited_field<Options, &CompileOptions::verbose>("verbose"),
    inherited_field<Options, &CompileOptions::device>("device"),
    inherited_field<Options, &CompileOptions::options>("options"),
    inherited_field<Options, &CompileOptions::compile_flags>("compile_flags"),
    inherited_field<Options, &CompileOptions::include_dirs>("include_dirs"),
    inherited_field<Options, &CompileOptions::use_cache>("use_cache"),
    inherited_field<Options, &CompileOptions::isolation>("isolation"),
    inherited_field<Options, &CompileOptions::compile_timeout_s>("compile_timeout"),
    inherited_field<Options, &CompileOptions::policy>("policy"),
    inherited_field<Options, &CompileOptions::lock_file>("lock_file"),
});

// The options that matter before a compilation.
constexpr auto kResolveFields = [] {
  std::array<Field<CompileOptions>, kCompileFields<CompileOptions>.size() - 2> fields{};
  std::ranges::copy_if(kCompileFields<CompileOptions>, fields.begin(),
                       [](const Field<CompileOptions>& one) { return one.name != "out_idx" && one.name != "verbose"; });
  return fields;
}();

constexpr Field<ParSettings> kParFields[] = {
    inherited_field<ParSettings, &ParSettings::num_workers>("num_workers"),
    field<&ParSettings::ignore_error>("ignore_error"),
    field<&ParSettings::left_out>("left_out"),
    inherited_field<ParSettings, &ParSettings::memory_budget>("memory_budget"),
    inherited_field<ParSettings, &ParSettings::timeout>("timeout"),
};

constexpr auto kJitFields = [] {
  constexpr std::array kOwn = std::to_array<Field<JitSettings>>({
      inherited_field<JitSettings, &JitOptions::debug_root_path>("debug_root_path"),
      inherited_field<JitSettings, &JitOptions::name>("name"),
      inherited_field<JitSettings, &JitOptions::function_source>("func_source"),
  });
  constexpr auto& kCompile = kCompileFields<JitSettings>;
  std::array<Field<JitSettings>, kCompile.size() + kOwn.size()> fields{};
  std::ranges::copy(kOwn, std::ranges::copy(kCompile, fields.begin()).out);
  return fields;
}();

template <class Options>
Options options_from(const NamedValues& values, std::span<const Field<Options>> fields) {
  Options options;
  set_fields(options, values, fields);
  return options;
}

}  // namespace

bool read(const ffi::Any& value, std::string& out) {
  const auto text = value.as<ffi::String>();
  if (text) out.assign(text->data(), text->size());
  return text.has_value();
}

namespace {

/// Reads a word; an empty one is the default. Throws the error of an unknown word.
template <class Enum>
bool read_word(const ffi::Any& value, Result<Enum> (*from_string)(std::string_view), std::optional<Enum>& out) {
  std::string word;
  if (!read(value, word)) return false;
  if (word.empty()) return out.reset(), true;
  return out = value_of(from_string(word)), true;
}

}  // namespace

bool read(const ffi::Any& value, std::optional<Policy>& out) { return read_word(value, policy_from_string, out); }

bool read(const ffi::Any& value, std::optional<Isolation>& out) { return read_word(value, isolation_from_string, out); }

bool read(const ffi::Any& value, bool& out) {
  const auto flag = value.as<bool>();
  if (flag) out = *flag;
  return flag.has_value();
}

bool read(const ffi::Any& value, int& out) {
  const auto integer = value.as<std::int64_t>();
  if (!integer || *integer < std::numeric_limits<int>::min() || *integer > std::numeric_limits<int>::max())
    return false;
  return out = static_cast<int>(*integer), true;
}

bool read(const ffi::Any& value, std::uint64_t& out) {
  const auto integer = value.as<std::int64_t>();
  if (!integer || *integer < 0) return false;
  return out = static_cast<std::uint64_t>(*integer), true;
}

bool read(const ffi::Any& value, double& out) {
  const auto integer = value.as<std::int64_t>();
  const auto number = integer ? std::optional(static_cast<double>(*integer)) : value.as<double>();
  constexpr double kMost = 1e9;  // seconds; thirty years
  if (!number || !(*number > -kMost && *number < kMost)) return false;
  return out = *number, true;
}

bool read(const ffi::Any& value, Milliseconds& out) {
  double seconds = 0;
  if (!read(value, seconds)) return false;
  const std::chrono::duration<double> exact(seconds);
  out = seconds > 0 ? std::chrono::ceil<Milliseconds>(exact)
                    : std::chrono::floor<Milliseconds>(exact);  // 0 means no limit
  return true;
}

bool read(const ffi::Any& value, std::vector<std::string>& out) { return read_list(value, out); }
bool read(const ffi::Any& value, std::vector<int>& out) { return read_list(value, out); }

bool read(const ffi::Any& value, Options& out) {
  const auto map = value.as<ffi::Map<ffi::Any, ffi::Any>>();
  if (!map) return false;
  for (const auto& [key, element] : *map) {
    std::string name;
    if (!read(key, name) || !read_text(element, out[name])) return false;
  }
  return true;
}

bool read(const ffi::Any& value, LeftOut& out) {
  const auto function = value.as<ffi::Function>();
  if (!function) return false;
  out = [tell = *function](std::size_t index, const Error& error) {
    tell(static_cast<std::int64_t>(index), ffi::String(error.message));
  };
  return true;
}

ffi::Error unknown_name(std::string_view name, const std::vector<std::string>& known) {
  std::string names;
  for (const std::string& each : known) names += (names.empty() ? "" : ", ") + each;
  return wrong_type("there is no option '" + std::string(name) + "' (the options are " + names + ")." +
                    hint_for(name, known));
}

ffi::Error wrong_value(std::string_view name, std::string_view noun, const ffi::Any& value) {
  const std::string problem = "option '" + std::string(name) + "' is " + named_type(value.type_index());
  if (is_target_of_tvm(name, value)) {
    return wrong_type(problem + " (it takes a string). Write \"cuda:sm_90a\", or the dict as JSON.");
  }
  return wrong_type(problem + " that is not " + std::string(noun) + " (its type or range is another). Pass " +
                    std::string(noun) + ".");
}

CompileOptions compile_options(const NamedValues& values) {
  return options_from<CompileOptions>(values, kCompileFields<CompileOptions>);
}
CompileOptions resolve_options(const NamedValues& values) {
  return options_from<CompileOptions>(values, kResolveFields);
}
ParSettings par_settings(const NamedValues& values) { return options_from<ParSettings>(values, kParFields); }

JitSettings jit_settings(const NamedValues& values) { return options_from<JitSettings>(values, kJitFields); }

}  // namespace kmux::bridge
