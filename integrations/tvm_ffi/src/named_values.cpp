#include "named_values.h"

#include <algorithm>
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

constexpr Field<CompileOptions> kCompileFields[] = {
    field<&CompileOptions::target>("target"),
    field<&CompileOptions::execution_backend>("execution_backend"),
    field<&CompileOptions::target_host>("target_host"),
    field<&CompileOptions::out_idx>("out_idx"),
    field<&CompileOptions::verbose>("verbose"),
    field<&CompileOptions::device>("device"),
    field<&CompileOptions::options>("options"),
    field<&CompileOptions::compile_flags>("compile_flags"),
    field<&CompileOptions::include_dirs>("include_dirs"),
    field<&CompileOptions::use_cache>("use_cache"),
    field<&CompileOptions::isolation>("isolation"),
    field<&CompileOptions::compile_timeout_s>("compile_timeout"),
    field<&CompileOptions::policy>("policy"),
    field<&CompileOptions::lock_file>("lock_file"),
};

constexpr Field<CompileOptions> kResolveFields[] = {
    field<&CompileOptions::target>("target"),
    field<&CompileOptions::execution_backend>("execution_backend"),
    field<&CompileOptions::target_host>("target_host"),
    field<&CompileOptions::device>("device"),
    field<&CompileOptions::options>("options"),
    field<&CompileOptions::compile_flags>("compile_flags"),
    field<&CompileOptions::include_dirs>("include_dirs"),
    field<&CompileOptions::use_cache>("use_cache"),
    field<&CompileOptions::isolation>("isolation"),
    field<&CompileOptions::compile_timeout_s>("compile_timeout"),
    field<&CompileOptions::policy>("policy"),
    field<&CompileOptions::lock_file>("lock_file"),
};

constexpr Field<ParSettings> kParFields[] = {
    inherited_field<ParSettings, &ParSettings::num_workers>("num_workers"),
    field<&ParSettings::ignore_error>("ignore_error"),
    field<&ParSettings::left_out>("left_out"),
    inherited_field<ParSettings, &ParSettings::memory_budget>("memory_budget"),
    inherited_field<ParSettings, &ParSettings::timeout>("timeout"),
};

constexpr Field<JitSettings> kJitFields[] = {
    inherited_field<JitSettings, &JitSettings::target>("target"),
    inherited_field<JitSettings, &JitSettings::execution_backend>("execution_backend"),
    inherited_field<JitSettings, &JitSettings::target_host>("target_host"),
    inherited_field<JitSettings, &JitSettings::out_idx>("out_idx"),
    inherited_field<JitSettings, &JitSettings::verbose>("verbose"),
    inherited_field<JitSettings, &JitSettings::options>("options"),
    inherited_field<JitSettings, &JitSettings::compile_flags>("compile_flags"),
    inherited_field<JitSettings, &JitSettings::debug_root_path>("debug_root_path"),
    inherited_field<JitSettings, &JitSettings::name>("name"),
    inherited_field<JitSettings, &JitSettings::function_source>("func_source"),
    inherited_field<JitSettings, &JitSettings::include_dirs>("include_dirs"),
    inherited_field<JitSettings, &JitSettings::device>("device"),
    inherited_field<JitSettings, &JitSettings::use_cache>("use_cache"),
    inherited_field<JitSettings, &JitSettings::isolation>("isolation"),
    inherited_field<JitSettings, &JitSettings::compile_timeout_s>("compile_timeout"),
    inherited_field<JitSettings, &JitSettings::policy>("policy"),
    inherited_field<JitSettings, &JitSettings::lock_file>("lock_file"),
};

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
  return options_from<CompileOptions>(values, kCompileFields);
}
CompileOptions resolve_options(const NamedValues& values) {
  return options_from<CompileOptions>(values, kResolveFields);
}
ParSettings par_settings(const NamedValues& values) { return options_from<ParSettings>(values, kParFields); }

JitSettings jit_settings(const NamedValues& values) { return options_from<JitSettings>(values, kJitFields); }

}  // namespace kmux::bridge
