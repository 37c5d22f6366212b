#include "nvidia/options.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "kmux/plugin/compiler_flags.h"
#include "kmux/plugin/option_readers.h"
#include "kmux/plugin/process.h"

namespace kmux::nvidia {
namespace {

constexpr std::array<std::string_view, 2> kTiers = {"fast", "full"};

// An instruction can address at most 255 registers.
constexpr NumberRange kRegisters = {16, 255};
constexpr NumberRange kPercent = {0, 100};

namespace fs = std::filesystem;

// Returns the folder above bin after resolving links: /usr/bin/nvcc may be a link.
std::optional<std::string> home_of_nvcc() {
  const auto nvcc = find_program("nvcc");
  if (!nvcc) return std::nullopt;
  std::error_code error;
  const fs::path real = fs::canonical(*nvcc, error);
  if (error) return std::nullopt;
  return real.parent_path().parent_path().string();
}

void add(std::vector<std::string>& folders, std::optional<std::string> folder) {
  if (folder && !folder->empty() && std::ranges::find(folders, *folder) == folders.end()) {
    folders.push_back(std::move(*folder));
  }
}

}  // namespace

Result<BuildOptions> parse_options(const Options& options, const Host& host, std::string_view backend) {
  BuildOptions result;
  const auto check = [&](const std::vector<std::string>& flags) { return check_flags(flags, backend); };
  OptionReaders readers = {
      {"compile_flags", flags(result.compile_flags, check)},
      {"device_debug", on_or_off(result.device_debug)},
      {"fast_math", on_or_off(result.fast_math)},
      {"graph", on_or_off(result.graph)},
      {"include_dirs", folders(result.include_dirs)},
      {"line_info", on_or_off(result.line_info)},
      {"max_registers", whole_number(result.max_registers, kRegisters)},
      {"shared_carveout", whole_number(result.shared_carveout, kPercent)},
      {"tier", one_of(result.tier, kTiers)},
  };
  if (backend == "cuda") readers.emplace("host_compiler", any_text(result.host_compiler));
  if (backend == "nvrtc") readers.emplace("lto", on_or_off(result.lto));
  KMUX_TRY(read_options(backend, options, host, readers));
  return result;
}

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

// Flags for macros and header folders, whose value may be any text.
constexpr std::array<std::string_view, 6> kWithText = {
    "-D", "-U", "-I", "--define-macro=", "--undefine-macro=", "--include-path="};

constexpr std::array<std::string_view, 4> kTimes = {"0", "min", "mid", "max"};
constexpr std::array<std::string_view, 4> kLevels = {"0", "1", "2", "3"};

// Flags with a value in the same piece.
constexpr std::array<ValuedFlag, 21> kValued = {{{"-std=", FlagValue::kName},
                                                 {"--std=", FlagValue::kName},
                                                 {"-O", FlagValue::kWord, kLevels},
                                                 {"-maxrregcount="},
                                                 {"--maxrregcount="},
                                                 {"-ftz=", FlagValue::kTruth},
                                                 {"--ftz=", FlagValue::kTruth},
                                                 {"-prec-div=", FlagValue::kTruth},
                                                 {"--prec-div=", FlagValue::kTruth},
                                                 {"-prec-sqrt=", FlagValue::kTruth},
                                                 {"--prec-sqrt=", FlagValue::kTruth},
                                                 {"-fmad=", FlagValue::kTruth},
                                                 {"--fmad=", FlagValue::kTruth},
                                                 {"-diag-suppress=", FlagValue::kNumbers},
                                                 {"--diag-suppress=", FlagValue::kNumbers},
                                                 {"-diag-warn=", FlagValue::kNumbers},
                                                 {"--diag-warn=", FlagValue::kNumbers},
                                                 {"-diag-error=", FlagValue::kNumbers},
                                                 {"--diag-error=", FlagValue::kNumbers},
                                                 {"-Ofast-compile=", FlagValue::kWord, kTimes},
                                                 {"--Ofast-compile=", FlagValue::kWord, kTimes}}};

constexpr std::array<std::string_view, 2> kAssembler = {"-Xptxas=", "--ptxas-options="};

// Options of the assembler that name no file.
constexpr std::array<std::string_view, 10> kAssemblerOptions = {"-O",
                                                                "-v",
                                                                "--verbose",
                                                                "-dlcm=",
                                                                "-dscm=",
                                                                "--def-load-cache=",
                                                                "--def-store-cache=",
                                                                "-warn-",
                                                                "--warn-",
                                                                "--register-usage-level="};

bool is_assembler_option(std::string_view option) {
  constexpr std::string_view kCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-=";
  return begins_with_any(option, kAssemblerOptions) && option.find_first_not_of(kCharacters) == option.npos;
}

// Checks each of the options, which commas separate.
bool are_assembler_options(std::string_view options) {
  while (!options.empty()) {
    const std::size_t comma = std::min(options.find(','), options.size());
    if (!is_assembler_option(options.substr(0, comma))) return false;
    options.remove_prefix(std::min(comma + 1, options.size()));
  }
  return true;
}

bool is_allowed(std::string_view flag) {
  for (const std::string_view prefix : kAssembler) {
    if (flag.starts_with(prefix)) return are_assembler_options(flag.substr(prefix.size()));
  }
  return FlagList{kWhole, kWithText, kValued}.contains(flag) || (flag.starts_with("-Wno-") && is_warning_flag(flag));
}

}  // namespace

std::vector<std::string> spill_arguments(const BuildOptions& options, Arch arch) {
  if (arch.is_virtual || options.device_debug || options.tier == Tier::kFast) return {};
  return {"-Xptxas=--warn-on-spills"};
}

Status check_flags(const std::vector<std::string>& flags, std::string_view backend) {
  return kmux::check_flags(flags, is_allowed,
                           {backend,
                            "-D, -U, -I, -std=, --use_fast_math, --fmad=, --maxrregcount=, -Xptxas= and their like in "
                            "one piece"});
}

std::vector<std::string> toolkit_homes(const Host& host) {
  std::vector<std::string> homes;
  add(homes, host.option("cuda.home"));
  add(homes, home_of_nvcc());
  add(homes, "/usr/local/cuda");
  return homes;
}

std::vector<std::string> toolkit_includes(const std::string& home) {
  std::vector<std::string> folders;
  std::error_code error;
  for (const char* name : {"/include", "/include/cccl"}) {
    if (fs::is_directory(home + name, error)) folders.push_back(home + name);
  }
  return folders;
}

}  // namespace kmux::nvidia
