#include "compilation.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>

#include "kmux/plugin/characters.h"
#include "kmux/plugin/compile_log.h"
#include "kmux/plugin/compiler_flags.h"
#include "kmux/plugin/rtc_program.h"

#include "nvidia/written_variables.h"

namespace kmux::nvrtc {
namespace {

NvrtcResult compile_program(const NvrtcLibrary& library, RtcProgram<NvrtcLibrary>& program,
                            std::vector<std::string> options) {
  // From 12.9 on, NVRTC caches its output in the driver's cache, and starts the driver for that. kmux has its own
  // cache.
  if (library.is_at_least(12, 9)) options.emplace_back("--no-cache");
  return program.compile(options);
}

std::string without_folder(std::string text) {
  for (std::size_t at = text.find(kProgramFolder); at != text.npos; at = text.find(kProgramFolder, at)) {
    text.erase(at, kProgramFolder.size());
  }
  return text;
}

Error compile_failure(const NvrtcLibrary& library, const Compilation& compilation, NvrtcResult result,
                      const std::string& log) {
  if (result == NvrtcResult::kCompilation) {
    return compile_error("cannot compile \"" + without_folder(compilation.unit.path) + "\"", log);
  }
  if (result == NvrtcResult::kInvalidOption) {
    return make_error(ErrorCode::kInvalidArgument,
                      "NVRTC " + library.version() + " does not take an option (" + log.substr(0, log.find('\n')) +
                          "). Correct compile_flags, or use another architecture or a newer NVRTC.")
        .with("log", log);
  }
  return library.failure("nvrtcCompileProgram", result).with("log", log);
}

Result<std::string> read_intermediate(const NvrtcLibrary& library, NvrtcProgram program) {
  const NvrtcTable& calls = library.calls();
  std::size_t bytes = 0;
  NvrtcResult result = calls.intermediate_size(program, &bytes);
  if (result != NvrtcResult::kSuccess) return library.failure("nvrtcGetLTOIRSize", result);
  std::string code(bytes, '\0');
  result = calls.intermediate(program, code.data());
  if (result != NvrtcResult::kSuccess) return library.failure("nvrtcGetLTOIR", result);
  return code;
}

Result<std::string> read_ptx(const NvrtcLibrary& library, NvrtcProgram program) {
  const NvrtcTable& calls = library.calls();
  std::size_t bytes = 0;
  NvrtcResult result = calls.ptx_size(program, &bytes);
  if (result != NvrtcResult::kSuccess) return library.failure("nvrtcGetPTXSize", result);
  std::string text(bytes, '\0');
  result = calls.ptx(program, text.data());
  if (result != NvrtcResult::kSuccess) return library.failure("nvrtcGetPTX", result);
  return text;
}

}  // namespace

Result<Compiled> compile(const NvrtcLibrary& library, const Compilation& compilation) {
  RtcProgram program(library);
  KMUX_TRY(program.create(compilation.unit.text, compilation.unit));
  KMUX_TRY(program.add_names(compilation.names));
  const NvrtcResult result = compile_program(library, program, compilation.options);
  Compiled compiled;
  KMUX_ASSIGN(std::string log, program.log());
  // Messages of the assembler are about the kernels.
  compiled.is_about_program = log.find(kProgramFolder) != log.npos || log.find("ptxas ") != log.npos;
  compiled.log = without_folder(std::move(log));
  if (result != NvrtcResult::kSuccess) return compile_failure(library, compilation, result, compiled.log);
  KMUX_ASSIGN(compiled.code, compilation.to_ptx            ? read_ptx(library, program.handle())
                             : compilation.to_intermediate ? read_intermediate(library, program.handle())
                                                           : program.code());
  const bool is_cubin = !compilation.to_ptx && !compilation.to_intermediate;
  if (is_cubin && nvidia::refers_to_variables(compiled.code)) {
    if (auto ptx = read_ptx(library, program.handle())) compiled.ptx = *std::move(ptx);
  }
  KMUX_ASSIGN(compiled.symbols, program.symbols(compilation.names));
  if (library.has_pch()) compiled.pch = library.calls().pch_create_status(program.handle());
  return compiled;
}

namespace {

/// Returns true for a flag about host code, which NVRTC does not compile: nvcc's -O, by its manual, and warning flags
/// of the host's compiler.
bool is_for_the_host(const std::string& flag) { return flag.starts_with("-O") || flag.starts_with("-Wno-"); }

}  // namespace

std::vector<std::string> compiler_arguments(const nvidia::BuildOptions& options, const Settings& settings,
                                            const SourceUnit& unit, nvidia::Arch arch,
                                            const std::vector<std::string>& folders) {
  std::vector<std::string> arguments = {"--gpu-architecture=" + to_string(arch), "-default-device"};
  add_standard(arguments, settings, options.compile_flags);
  if (options.device_debug) {
    arguments.emplace_back("-G");
  } else if (options.line_info) {
    arguments.emplace_back("-lineinfo");
  }
  if (options.fast_math || settings.fast_math) arguments.emplace_back("--use_fast_math");
  if (options.max_registers > 0) arguments.push_back("--maxrregcount=" + std::to_string(options.max_registers));
  if (options.tier == nvidia::Tier::kFast) arguments.emplace_back("--Ofast-compile=max");
  std::ranges::copy(nvidia::spill_arguments(options, arch), std::back_inserter(arguments));
  for (const std::string& define : settings.defines) arguments.push_back("-D" + define);
  for (const std::string& flag : options.compile_flags) {
    if (flag.starts_with("-Ofast-compile=") || !is_for_the_host(flag)) arguments.push_back(flag);
  }
  for (const auto* list : {&options.include_dirs, &folders}) {
    for (const std::string& folder : *list) arguments.push_back("-I" + folder);
  }
  for (const std::string& prelude : unit.preludes) arguments.push_back("--pre-include=" + prelude);
  return arguments;
}

SourceUnit with_headers(SourceUnit unit, const DeviceHeaders& headers) {
  unit.files.insert(unit.files.end(), headers.files.begin(), headers.files.end());
  unit.preludes.insert(unit.preludes.begin(), headers.preludes.begin(), headers.preludes.end());
  return unit;
}

namespace {

// Returns a unit for each source, with the other sources as headers.
std::vector<SourceUnit> units_of(const Variant& variant, const DeviceHeaders& headers) {
  std::vector<SourceUnit> units;
  for (std::size_t i = 0; i < variant.sources.size(); ++i) {
    Variant one = variant;
    one.headers.insert(one.headers.end(), one.sources.begin(), one.sources.end());
    one.headers.erase(one.headers.end() - static_cast<std::ptrdiff_t>(one.sources.size() - i));
    one.sources = {variant.sources[i]};
    units.push_back(with_headers(make_unit(one, kProgramFolder), headers));
  }
  return units;
}

// Returns the last identifier of "&ns::table", "ns::scale<float>" or "static_cast<void (*)(float*)>(&ns::scale)".
std::string_view identifier_in(std::string_view name) {
  const std::size_t address = name.rfind(">(&");
  if (address != name.npos) name = name.substr(address + 3, name.size() - address - 4);
  name = name.substr(0, name.find('<'));
  return name.substr(name.find_last_of("&:") + 1);  // npos + 1 is 0
}

bool has_word(std::string_view text, std::string_view word) {
  const auto is_inside = [&](std::size_t at) { return at < text.size() && is_name_character(text[at]); };
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    if (!is_inside(at - 1) && !is_inside(at + word.size())) return true;  // 0 - 1 is out of bounds: not inside
  }
  return false;
}

std::size_t unit_with(const std::vector<SourceUnit>& units, std::string_view name) {
  const auto found =
      std::ranges::find_if(units, [&](const SourceUnit& unit) { return has_word(unit.text, identifier_in(name)); });
  return found == units.end() ? 0 : static_cast<std::size_t>(found - units.begin());
}

// Translates a flag of NVRTC for nvJitLink, which applies these settings again; empty for a flag about the source.
std::string linker_flag(std::string_view flag) {
  flag.remove_prefix(std::min(flag.find_first_not_of('-'), flag.size()));
  const std::size_t end = std::min(flag.find('='), flag.size());
  const std::string_view name = flag.substr(0, end);
  const std::string value(flag.substr(std::min(end + 1, flag.size())));
  const char* const number = value == "true" || value == "1" ? "1" : "0";
  if (name == "Xptxas" || name == "ptxas-options") return "-Xptxas=" + value;
  if (name == "maxrregcount") return "-maxrregcount=" + value;
  if (name == "fmad") return std::string("-fma=") + number;
  const bool is_precision = name == "ftz" || name == "prec-div" || name == "prec-sqrt";
  return is_precision ? "-" + std::string(name) + "=" + number : "";
}

// Adds `argument` and removes earlier ones of its kind: nvJitLink rejects repeated arguments, except those for the
// assembler.
void add_last(std::vector<std::string>& arguments, std::string argument) {
  const std::string key = argument.substr(0, argument.find('=') + 1);
  if (key != "-Xptxas=") std::erase_if(arguments, [&](const std::string& one) { return one.starts_with(key); });
  arguments.push_back(std::move(argument));
}

constexpr std::array kFastMath = {"-ftz=1", "-prec-div=0", "-prec-sqrt=0", "-fma=1"};

}  // namespace

Result<Compiled> compile_and_link(const NvrtcLibrary& library, const std::string& nvrtc, const Variant& variant,
                                  const DeviceHeaders& headers, const std::vector<std::string>& arguments,
                                  const std::vector<std::string>& names,
                                  const std::vector<std::string>& link_arguments) {
  KMUX_ASSIGN(const std::string path, JitLinkLibrary::find(nvrtc));
  KMUX_ASSIGN(const JitLinkLibrary* const linker, JitLinkLibrary::open(path));
  const std::vector<SourceUnit> units = units_of(variant, headers);
  std::vector<std::vector<std::string>> names_in(units.size());
  for (const std::string& name : names) names_in[unit_with(units, name)].push_back(name);
  Compiled whole;
  std::map<std::string, std::string> symbols;
  std::vector<JitLinkLibrary::Input> inputs;
  for (std::size_t i = 0; i < units.size(); ++i) {
    KMUX_ASSIGN(Compiled one, compile(library, {units[i], arguments, names_in[i], false, /*to_intermediate=*/true}));
    for (std::size_t j = 0; j < names_in[i].size(); ++j) symbols[names_in[i][j]] = std::move(one.symbols[j]);
    whole.log += one.log;
    whole.is_about_program = whole.is_about_program || one.is_about_program;
    inputs.push_back({variant.sources[i].path, std::move(one.code)});
  }
  KMUX_ASSIGN(JitLinkLibrary::Linked linked, linker->link(inputs, link_arguments));
  whole.is_about_program = whole.is_about_program || !linked.log.empty();
  whole.log += linked.log;
  whole.code = std::move(linked.code);
  for (const std::string& name : names) whole.symbols.push_back(symbols[name]);
  return whole;
}

std::vector<std::string> linker_arguments(const nvidia::BuildOptions& options, const Settings& settings,
                                          nvidia::Arch arch) {
  std::vector<std::string> arguments = {"-arch=" + to_string(arch), "-lto"};
  if (options.line_info) arguments.emplace_back("-lineinfo");
  if (options.max_registers > 0) arguments.push_back("-maxrregcount=" + std::to_string(options.max_registers));
  const auto is_fast = [](std::string_view flag) { return flag.ends_with("-use_fast_math"); };
  if (options.fast_math || settings.fast_math || std::ranges::any_of(options.compile_flags, is_fast)) {
    arguments.insert(arguments.end(), kFastMath.begin(), kFastMath.end());
  }
  std::ranges::copy(nvidia::spill_arguments(options, arch), std::back_inserter(arguments));
  for (const std::string& flag : options.compile_flags) {
    if (std::string for_linker = linker_flag(flag); !for_linker.empty()) add_last(arguments, std::move(for_linker));
  }
  return arguments;
}

}  // namespace kmux::nvrtc
