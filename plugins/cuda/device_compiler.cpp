#include "device_compiler.h"

#include <algorithm>
#include <filesystem>

#include "kmux/file_io.h"
#include "kmux/include_scan.h"

#include "make_rule.h"
#include "nvidia/source.h"

namespace kmux::cuda {
namespace {

constexpr const char* kCubin = "kmux-out.cubin";
constexpr const char* kRule = "kmux-out.d";

// A name that no file of the program has.
std::string free_name(const std::vector<File>& files, std::string name) {
  const auto is_taken = [&](const File& file) { return file.path == name; };
  while (std::ranges::any_of(files, is_taken)) name.insert(0, "_");
  return name;
}

// The whole unit: nvcc hands defines on to a shell without quotes, so they stand here.
std::string main_text(const Settings& settings, const nvidia::SourceUnit& unit,
                      const std::vector<std::string>& kernels) {
  std::string text;
  for (const std::string& define : settings.defines) text += define_line(define);
  for (const std::string& prelude : unit.preludes) text.append("#include \"").append(prelude).append("\"\n");
  text.append("#line 1 \"").append(unit.path).append("\"\n").append(unit.text).append("\n");
  return text + nvidia::instantiations(kernels);
}

Status write_all(const Compilation& compilation, const std::vector<File>& files) {
  for (const File& file : files) KMUX_TRY(compilation.folder().write(file.path, file.content));
  return Ok{};
}

}  // namespace

Status check_arguments(const std::vector<std::string>& arguments) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%^~ ";
  for (const std::string& argument : arguments) {
    if (argument.find_first_not_of(kPlain) == argument.npos) continue;
    return make_error(
        ErrorCode::kInvalidArgument,
        "argument \"" + argument +
            "\" has a character that means something to a shell (nvcc starts its tools through one). Use "
            "letters, digits, blanks and _-+=.,:/@%^~ only; defines may stand in the program's settings.");
  }
  return Ok{};
}

std::vector<std::string> device_arguments(const BuildRequest& request, const nvidia::BuildOptions& options) {
  std::vector<std::string> arguments = {"-cubin", "-arch=" + request.target.arch, "-I."};
  if (request.chosen().dialect == "cuda") {
    arguments.push_back("-std=" + nvidia::standard_of(request.chosen().settings));
  }
  for (const std::string& folder : options.include_dirs) arguments.push_back("-I" + folder);
  if (options.line_info) arguments.emplace_back("-lineinfo");
  if (options.fast_math || request.chosen().settings.fast_math) arguments.emplace_back("--use_fast_math");
  if (options.max_registers > 0) arguments.push_back("-maxrregcount=" + std::to_string(options.max_registers));
  if (options.tier == nvidia::Tier::kFast) arguments.emplace_back("--Ofast-compile=max");
  arguments.insert(arguments.end(), options.compile_flags.begin(), options.compile_flags.end());
  return arguments;
}

Result<DeviceCompiler::Output> DeviceCompiler::compile(const Compilation& compilation, const BuildRequest& request,
                                                       const nvidia::BuildOptions& options,
                                                       const std::vector<std::string>& kernels) const {
  const Variant& variant = request.chosen();
  if (variant.dialect == "cubin") return Output{variant.sources.front().content};
  const bool is_ptx = variant.dialect == "ptx";
  const nvidia::SourceUnit unit = nvidia::make_unit(variant, "");
  const std::string main = free_name(unit.files, is_ptx ? "kmux-unit.ptx" : "kmux-unit.cu");
  const std::string text = is_ptx ? variant.sources.front().content : main_text(variant.settings, unit, kernels);
  std::vector<std::string> arguments = device_arguments(request, options);
  arguments.insert(arguments.end(), {"-ccbin", host_compiler_, "-o", kCubin, main});
  if (!is_ptx) arguments.insert(arguments.end(), {"-MD", "-MF", kRule});
  KMUX_TRY(check_arguments(arguments));
  KMUX_TRY(check_arguments({nvcc_.program, compilation.folder().path()}));
  KMUX_TRY(write_all(compilation, unit.files));
  KMUX_TRY(compilation.folder().write(main, text));
  const std::string what = "compile \"" + variant.sources.front().path + "\" with nvcc";
  KMUX_ASSIGN(std::string log, compilation.run(what, nvcc_.program, std::move(arguments)));
  const std::filesystem::path folder = compilation.folder().path();
  KMUX_ASSIGN(std::string cubin, read_file(folder / kCubin));
  const auto rule = read_file(folder / kRule);
  return Output{std::move(cubin), std::move(log), absolute_prerequisites(rule ? *rule : "")};
}

}  // namespace kmux::cuda
