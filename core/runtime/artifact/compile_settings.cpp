// SPDX-License-Identifier: Apache-2.0
#include "compile_settings.h"

#include <string_view>
#include <utility>
#include <vector>

#include "kmux/plugin/quoting.h"
#include "kmux/validate.h"

namespace kmux {

namespace {

Error invalid(std::string message) { return make_error(ErrorCode::kInvalidArgument, std::move(message)); }

/// Checks a word that travels to the backend as JSON, which is UTF-8. `what` must be the name of its kind.
Status check_utf8(const std::string& what, std::string_view word) {
  if (is_text(word)) return Ok{};
  return invalid(what + " " + in_double_quotes(word) +
                 " is not UTF-8 (backends get it as JSON). Write it in UTF-8, or rename what it names.");
}

Status check_words(const CompileOptions& options) {
  for (const auto& [name, value] : options.options) {
    KMUX_TRY(check_utf8("the option", name));
    KMUX_TRY(check_utf8("the value of option '" + name + "',", value));
  }
  for (const std::string& flag : options.compile_flags) KMUX_TRY(check_utf8("the flag", flag));
  for (const std::string& folder : options.include_dirs) KMUX_TRY(check_utf8("the include folder", folder));
  return check_utf8("the target host", options.target_host);
}

}  // namespace

Result<CompileSettings> settle(const CompileOptions& options, Purpose purpose, const Environment& environment) {
  KMUX_TRY(check_words(options));
  CompileSettings settings{.options = options, .purpose = purpose};
  KMUX_ASSIGN(settings.policy, options.policy ? Result<Policy>(*options.policy) : environment.policy);
  KMUX_ASSIGN(settings.isolation, isolation_of(options.isolation, options.compile_timeout_s, environment));
  CompileOptions& complete = settings.options;
  if (options.target.empty()) {
    complete.target = environment.target;
    settings.target_variable = environment.target_variable;
  }
  if (options.execution_backend.empty()) {
    complete.execution_backend = environment.execution_backend;
    settings.backend_variable = environment.execution_backend_variable;
  }
  if (options.lock_file.empty()) complete.lock_file = environment.lock_file.string();
  if (purpose == Purpose::kRun) complete.device = options.device.value_or(0);
  complete.verbose = options.verbose.value_or(environment.verbose);
  return settings;
}

namespace {

Status add(Options& options, const std::string& name, const std::string& value) {
  if (value.empty() || options.emplace(name, value).second) return Ok{};
  return invalid("option '" + name + "' is given twice (as a field of CompileOptions and in options). Use the field.");
}

Result<std::string> in_lines(const std::string& name, const std::vector<std::string>& elements) {
  std::string lines;
  for (const std::string& element : elements) {
    if (element.find('\n') != std::string::npos) {
      std::string message = name;
      message.append(" has an element with a line break ('").append(element).append("'). Give one element a flag.");
      return invalid(std::move(message));
    }
    lines.append(lines.empty() ? "" : "\n").append(element);
  }
  return lines;
}

}  // namespace

Result<Options> compiler_options(const CompileOptions& options) {
  Options all = options.options;
  KMUX_ASSIGN(const std::string flags, in_lines("compile_flags", options.compile_flags));
  KMUX_ASSIGN(const std::string dirs, in_lines("include_dirs", options.include_dirs));
  KMUX_TRY(add(all, "compile_flags", flags));
  KMUX_TRY(add(all, "include_dirs", dirs));
  KMUX_TRY(add(all, "target_host", options.target_host));
  return all;
}

}  // namespace kmux
