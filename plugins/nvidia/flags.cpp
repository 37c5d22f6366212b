#include "nvidia/flags.h"

#include <algorithm>
#include <array>

namespace kmux::nvidia {
namespace {

// Flags that take no value.
constexpr std::array<std::string_view, 29> kWhole = {"-w",
                                                     "-G",
                                                     "-g",
                                                     "-lineinfo",
                                                     "-restrict",
                                                     "-use_fast_math",
                                                     "-default-device",
                                                     "-extended-lambda",
                                                     "-expt-extended-lambda",
                                                     "-expt-relaxed-constexpr",
                                                     "-extra-device-vectorization",
                                                     "-minimal",
                                                     "-no-cache",
                                                     "--device-debug",
                                                     "--generate-line-info",
                                                     "--restrict",
                                                     "--use_fast_math",
                                                     "--extended-lambda",
                                                     "--expt-extended-lambda",
                                                     "--expt-relaxed-constexpr",
                                                     "--extra-device-vectorization",
                                                     "--minimal",
                                                     "--disable-warnings",
                                                     "--device-as-default-execution-space",
                                                     "--device-float128",
                                                     "--no-display-error-number",
                                                     "--display-error-number",
                                                     "--brief-diagnostics=true",
                                                     "--brief-diagnostics=false"};

// Flags with their value in the same piece.
constexpr std::array<std::string_view, 26> kWithValue = {"-D",
                                                         "-U",
                                                         "-I",
                                                         "-std=",
                                                         "-O",
                                                         "-maxrregcount=",
                                                         "-ftz=",
                                                         "-prec-div=",
                                                         "-prec-sqrt=",
                                                         "-fmad=",
                                                         "-diag-suppress=",
                                                         "-diag-warn=",
                                                         "-diag-error=",
                                                         "-Ofast-compile=",
                                                         "--define-macro=",
                                                         "--undefine-macro=",
                                                         "--include-path=",
                                                         "--std=",
                                                         "--maxrregcount=",
                                                         "--ftz=",
                                                         "--prec-div=",
                                                         "--prec-sqrt=",
                                                         "--fmad=",
                                                         "--diag-suppress=",
                                                         "--diag-warn=",
                                                         "--Ofast-compile="};

constexpr std::array<std::string_view, 2> kAssembler = {"-Xptxas=", "--ptxas-options="};

// Options of the assembler that name no file.
constexpr std::array<std::string_view, 9> kAssemblerOptions = {
    "-O", "-v", "--verbose", "-dlcm=", "-dscm=", "--def-load-cache=", "--def-store-cache=", "-warn-", "--warn-"};

bool begins_with_any(std::string_view flag, const auto& prefixes) {
  return std::ranges::any_of(
      prefixes, [&](std::string_view prefix) { return flag.starts_with(prefix) && flag.size() > prefix.size(); });
}

bool is_assembler_option(std::string_view option) {
  const bool is_known =
      std::ranges::any_of(kAssemblerOptions, [&](std::string_view known) { return option.starts_with(known); });
  return is_known && option.find_first_of("/ ") == std::string_view::npos;
}

// A comma puts several options into one flag.
bool are_assembler_options(std::string_view options) {
  while (!options.empty()) {
    const std::size_t comma = std::min(options.find(','), options.size());
    if (!is_assembler_option(options.substr(0, comma))) return false;
    options.remove_prefix(std::min(comma + 1, options.size()));
  }
  return true;
}

bool is_allowed(std::string_view flag) {
  if (std::ranges::find(kWhole, flag) != kWhole.end()) return true;
  for (const std::string_view prefix : kAssembler) {
    if (flag.starts_with(prefix)) return are_assembler_options(flag.substr(prefix.size()));
  }
  return begins_with_any(flag, kWithValue);
}

}  // namespace

Status check_flags(const std::vector<std::string>& flags, std::string_view backend) {
  for (const std::string& flag : flags) {
    if (is_allowed(flag)) continue;
    return make_error(
        ErrorCode::kInvalidArgument,
        "compiler flag \"" + flag + "\" is not allowed (backend " + std::string(backend) +
            "; it could write files, load code or change the steps of the compilation). Use -D, -U, -I, -std=, "
            "--use_fast_math, --fmad=, --maxrregcount=, -Xptxas= and their like in one piece.");
  }
  return Ok{};
}

}  // namespace kmux::nvidia
