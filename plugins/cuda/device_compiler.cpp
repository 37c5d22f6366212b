#include "device_compiler.h"

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "kmux/plugin/file_io.h"
#include "kmux/plugin/include_scan.h"
#include "kmux/plugin/source_unit.h"

#include "nvcc.h"

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

// What follows -D in `flag`; empty for another flag.
std::string_view define_in(std::string_view flag) {
  for (const std::string_view prefix : {"-D", "--define-macro="}) {
    if (flag.starts_with(prefix)) return flag.substr(prefix.size());
  }
  return {};
}

// The whole unit. Defines stand in it, as nvcc would hand them to a shell.
std::string main_text(const Settings& settings, const nvidia::BuildOptions& options, const SourceUnit& unit,
                      const std::vector<std::string>& kernels) {
  std::string text;
  for (const std::string& define : settings.defines) text += define_line(define);
  for (const std::string& flag : options.compile_flags) {
    if (const auto define = define_in(flag); !define.empty()) text += define_line(define);
  }
  for (const std::string& prelude : unit.preludes) text.append("#include \"").append(prelude).append("\"\n");
  text.append("#line 1 \"").append(unit.path).append("\"\n").append(unit.text).append("\n");
  return text + instantiations(kernels);
}

// Or only about headers of the machine? What the assembler says is about the kernels.
bool is_about_program(std::string_view log, const std::vector<File>& files) {
  const auto is_named = [&](const File& file) { return log.find(file.path + "(") != log.npos; };
  return log.find("ptxas ") != log.npos || std::ranges::any_of(files, is_named);
}

Status write_all(const nvidia::Compilation& compilation, const std::vector<File>& files) {
  for (const File& file : files) KMUX_TRY(compilation.folder().write(file.path, file.content));
  return Ok{};
}

}  // namespace

// A comma begins another folder; blanks are kept together in folders only.
Status check_arguments(const std::vector<std::string>& arguments) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.:/@%";
  for (const std::string& argument : arguments) {
    const std::string_view kept = argument.starts_with("-I") ? " " : ",";
    const auto is_plain = [&](char c) { return kPlain.find(c) != kPlain.npos || kept.find(c) != kept.npos; };
    if (std::ranges::all_of(argument, is_plain)) continue;
    return make_error(ErrorCode::kInvalidArgument,
                      "argument \"" + argument +
                          "\" has a character that nvcc or the shell that it uses would take for its own. Use "
                          "letters, digits and _-+=.:/@% only; in folders blanks, too.");
  }
  return Ok{};
}

std::vector<std::string> device_arguments(const BuildRequest& request, const nvidia::BuildOptions& options) {
  std::vector<std::string> arguments = {"-cubin", "-arch=" + request.target.arch, "-I."};
  if (request.chosen().dialect == "cuda") {
    arguments.push_back("-std=" + standard_of(request.chosen().settings));
  }
  for (const std::string& folder : options.include_dirs) arguments.push_back("-I" + folder);
  if (options.line_info) arguments.emplace_back("-lineinfo");
  if (options.fast_math || request.chosen().settings.fast_math) arguments.emplace_back("--use_fast_math");
  if (options.max_registers > 0) arguments.push_back("-maxrregcount=" + std::to_string(options.max_registers));
  std::ranges::copy_if(options.compile_flags, std::back_inserter(arguments),
                       [](const std::string& flag) { return define_in(flag).empty(); });
  return arguments;
}

Result<DeviceCompiler::Output> DeviceCompiler::compile(const nvidia::Compilation& compilation,
                                                       const BuildRequest& request, const nvidia::BuildOptions& options,
                                                       const std::vector<std::string>& kernels) const {
  const Variant& variant = request.chosen();
  if (variant.dialect == "cubin") return Output{variant.sources.front().content};
  const bool is_ptx = variant.dialect == "ptx";
  const SourceUnit unit = make_unit(variant, "");
  const std::string main = free_name(unit.files, is_ptx ? "kmux-unit.ptx" : "kmux-unit.cu");
  const std::string text =
      is_ptx ? variant.sources.front().content : main_text(variant.settings, options, unit, kernels);
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
  const bool about_program = is_about_program(log, unit.files);
  return Output{std::move(cubin), std::move(log), about_program, absolute_prerequisites(rule ? *rule : "")};
}

}  // namespace kmux::cuda
