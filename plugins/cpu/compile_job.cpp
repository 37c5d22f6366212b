#include "compile_job.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <iterator>

#include "kmux/plugin/compiler_flags.h"
#include "kmux/plugin/device_part.h"
#include "kmux/plugin/kernel_names.h"
#include "kmux/plugin/name_table.h"
#include "kmux/plugin/source_unit.h"

#include "device.h"
#include "headers.h"
#include "simt/frontend/installation.h"
#include "wrapper.h"

namespace kmux::cpu {
namespace {

bool ends_with_any(std::string_view path, std::initializer_list<std::string_view> endings) {
  for (const std::string_view ending : endings) {
    if (path.ends_with(ending)) return true;
  }
  return false;
}

Result<simt::Language> language_of(const std::string& path) {
  if (path.ends_with(".c")) return simt::Language::kC;
  if (ends_with_any(path, {".cpp", ".cc", ".cxx"})) return simt::Language::kCpp;
  return make_error(ErrorCode::kInvalidArgument,
                    "source \"" + path +
                        "\" is neither C nor C++ (dialect c tells by the ending). End it with .c, .cpp, .cc or .cxx.");
}

simt::Language language_of_standard(std::string_view standard) {
  return standard.find("++") == std::string_view::npos ? simt::Language::kC : simt::Language::kCpp;
}

std::string standard_for(simt::Language language, const std::string& asked) {
  if (!asked.empty() && language_of_standard(asked) == language) return asked;
  if (language == simt::Language::kCuda) return "c++20";
  return language == simt::Language::kC ? "c11" : "c++17";
}

// Implements `fast_math` of docs/dispatch-ir.md: contraction and approximate functions are allowed, infinities and NaNs
// are preserved. -ffast-math would assume that neither occurs, and would reorder sums.
void add_fast_math(std::vector<std::string>& arguments, Engine engine) {
  arguments.emplace_back("-ffp-contract=fast");
  if (engine == Engine::kClang) arguments.emplace_back("-fapprox-func");
}

std::vector<std::string> unit_arguments(simt::Language language, const Settings& settings,
                                        const BuildOptions& options) {
  // Generated kernels read memory by other types than it was written with.
  std::vector<std::string> arguments = {"-std=" + standard_for(language, settings.standard), "-fno-strict-aliasing"};
  if (settings.fast_math) add_fast_math(arguments, options.engine);
  for (const std::string& define : settings.defines) arguments.push_back("-D" + define);
  for (const std::string& folder : options.include_dirs) arguments.push_back("-I" + folder);
  for (const std::string& prelude : settings.preludes) {
    arguments.emplace_back("-include");
    arguments.push_back(prelude);
  }
  arguments.insert(arguments.end(), options.compile_flags.begin(), options.compile_flags.end());
  return arguments;
}

Status check_object(const File& file, const std::string& triple) {
  const auto refuse = [&](const std::string& why) {
    return make_error(ErrorCode::kInvalidArgument, "source \"" + file.path +
                                                       "\" is not an object file for this machine (" + why +
                                                       "). Compile it with -c -fPIC for " + triple + ".");
  };
  Elf64_Ehdr header;
  if (file.content.size() < sizeof header) return refuse("it is too short");
  std::memcpy(&header, file.content.data(), sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return refuse("it is not ELF");
  if (header.e_ident[EI_CLASS] != ELFCLASS64) return refuse("it is not of 64 bits");
  if (header.e_machine != simt::elf_machine_of(triple)) return refuse("it is for another processor");
  if (header.e_type != ET_REL) return refuse("it is not relocatable");
  return Ok{};
}

std::string last_name(const std::string& qualified) {
  const std::string name = qualified.substr(0, qualified.find_first_of("<("));
  const std::size_t colon = name.rfind(':');
  const std::string last = colon == std::string::npos ? name : name.substr(colon + 1);
  return last.substr(0, last.find(' '));
}

// Makes the compiler look up the constants in the source, as `with_instances` does for kernels. The variables are weak,
// since several sources may declare one.
std::string with_constants(std::string text, const std::vector<Constant>& constants) {
  const std::string source = text;
  for (std::size_t i = 0; i < constants.size(); ++i) {
    if (source.find(last_name(constants[i].name)) == std::string::npos) continue;
    text += "\n#line 1 \"constant names\"\nextern \"C\" { __attribute__((used, weak)) auto* " +
            simt::constant_symbol(i) + " = &" + constants[i].name + "; }\n";
  }
  return text;
}

// Returns true if the source names the kernel, or a header that names it.
bool may_have(const std::string& source, const std::string& kernel, const std::vector<File>& headers) {
  const std::string name = last_name(kernel);
  if (source.find(name) != source.npos) return true;
  return std::ranges::any_of(headers, [&](const File& header) {
    const std::string file = header.path.substr(header.path.rfind('/') + 1);  // npos + 1 is 0
    return header.content.find(name) != header.content.npos && source.find(file) != source.npos;
  });
}

// Makes the compiler instantiate those `kernels` that are named by an expression (`scale<float, 3>`), by a variable
// each. A sole source gets all of them. Of several, each gets those that it may have, so that its own lines stay
// unchanged.
std::string with_instances(const File& source, const std::vector<std::string>& kernels, const Variant& variant) {
  std::string text = source.content;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (!is_name_expression(kernels[i])) continue;
    if (variant.sources.size() > 1 && !may_have(source.content, kernels[i], variant.headers)) continue;
    text += "\n#line 1 \"" + std::string(kNameTable) + "\"\nextern \"C\" { __attribute__((used, weak)) auto " +
            simt::instance_of(i) + " = " + kernel_address(kernels[i]) + "; }\n";
  }
  return text;
}

// Returns all texts that may name declarations of device/. Headers in other folders are unknown: "##" then includes all
// of device/.
std::vector<std::string_view> naming_texts(const Variant& variant, const BuildOptions& options) {
  std::vector<std::string_view> texts;
  for (const auto* files : {&variant.sources, &variant.headers}) {
    for (const File& file : *files) texts.push_back(file.content);
  }
  texts.insert(texts.end(), variant.settings.defines.begin(), variant.settings.defines.end());
  texts.insert(texts.end(), options.compile_flags.begin(), options.compile_flags.end());
  const auto adds_a_folder = [](const std::string& flag) { return flag.starts_with("-I"); };
  if (!options.include_dirs.empty() || std::ranges::any_of(options.compile_flags, adds_a_folder))
    texts.emplace_back("##");
  return texts;
}

// Returns true if device/ may test the macro of `flag` (-DNAME=VALUE). All other names belong to the program.
bool concerns_headers(std::string_view flag) {
  const std::string_view name = flag.substr(2, std::min(flag.find_first_of("=("), flag.size()) - 2);
  return name.empty() || name.starts_with('_') || name.starts_with("KMUX_") || name == "NDEBUG";
}

// Moves the program's macros out of `arguments` and returns them as text: "#define T float" for "-DT=float".
std::string take_macros(std::vector<std::string>& arguments) {
  std::string text;
  std::erase_if(arguments, [&](const std::string& argument) {
    const bool defines = argument.starts_with("-D");
    if ((!defines && !argument.starts_with("-U")) || concerns_headers(argument)) return false;
    text += defines ? define_line(argument.substr(2)) : "#undef " + argument.substr(2) + "\n";
    return true;
  });
  return text;
}

HeaderNeeds header_needs(const Variant& variant, const BuildOptions& options, std::span<const std::string_view> texts) {
  if (variant.dialect == "hip") return {.is_hip = true};
  HeaderNeeds needs{.arch = cuda_arch_of(variant), .templates = find_template_headers(variant, options)};
  if (options.replaces_templates && !include_template_headers(texts)) needs.templates.of_tilelang = false;
  return needs;
}

// Returns the compiler arguments of device sources, and appends the headers that they need to `files`.
std::vector<std::string> device_arguments(const Variant& variant, const BuildOptions& options,
                                          std::vector<File>& files) {
  const std::vector<std::string_view> texts = naming_texts(variant, options);
  DeviceHeaders headers = device_headers(texts, header_needs(variant, options, texts));
  std::vector<std::string> arguments = {"-I" + std::string(simt::kDeviceFolder), "-include", headers.prelude};
  if (options.check.memory) {  // findings name lines and variables
    for (const char* more : {"-gline-tables-only", "-fno-discard-value-names"}) arguments.emplace_back(more);
  }
  std::vector<std::string> more = unit_arguments(simt::Language::kCuda, variant.settings, options);
  if (const std::string macros = take_macros(more); !macros.empty()) {
    headers.files.push_back({std::string(simt::kMacrosPath), "#line 1 \"<command line>\"\n" + macros});
    for (const std::string_view one : {std::string_view("-include"), simt::kMacrosPath}) arguments.emplace_back(one);
  }
  arguments.insert(arguments.end(), more.begin(), more.end());
  std::ranges::move(headers.files, std::back_inserter(files));
  return arguments;
}

// Returns the variant; for a GPU, without its code for the host alone.
DevicePart part_of(const BuildRequest& request, const BuildOptions& options, const std::vector<std::string>& kernels) {
  const Variant& variant = request.chosen();
  if (!is_device_dialect(variant.dialect)) return {variant};
  const auto names = device_names(kernels, request.program.constants, variant.settings, options.compile_flags);
  return device_part(variant, names, {options.include_dirs, options.compile_flags, {}});
}

void add_device_units(simt::CompileJob& job, const Variant& variant, const BuildOptions& options, KernelNames names) {
  const std::vector<std::string> arguments = device_arguments(variant, options, job.files);
  const std::vector<std::string> named = names == KernelNames::kLookedUp ? job.kernels : std::vector<std::string>();
  for (std::size_t i = 0; i < variant.sources.size(); ++i) {
    job.files[i].content = with_constants(with_instances(variant.sources[i], named, variant), job.constants);
    job.units.push_back({variant.sources[i].path, simt::Language::kCuda, arguments});
  }
}

}  // namespace

bool can_read_templates(const Variant& variant, const BuildOptions& options) {
  return find_template_headers(variant, options).of_tilelang &&
         !header_needs(variant, options, naming_texts(variant, options)).templates.of_tilelang;
}

Result<simt::CompileJob> make_job(const BuildRequest& request, const BuildOptions& options, std::string_view launcher,
                                  KernelNames names) {
  simt::CompileJob job;
  job.launcher = launcher;
  job.entry = kEntry;
  job.cpu = options.march == "native" ? request.target.arch : options.march;
  job.launcher_cpu = options.target_host;
  job.opt_level = options.opt_level;
  job.tier = options.tier;
  job.check = options.check;
  job.folders_of_user = kmux::folders_of_user(options.include_dirs, options.compile_flags, request.chosen().settings);
  if (request.chosen().dialect == "object") {
    for (const File& object : request.chosen().sources) KMUX_TRY(check_object(object, simt::triple_of(job.cpu)));
    return job;
  }
  KMUX_ASSIGN(LaunchedKernels kernels, launched_kernels(request));
  job.kernels = std::move(kernels.names);
  job.passed = std::move(kernels.passed);
  DevicePart part = part_of(request, options, job.kernels);
  const Variant& variant = part.variant;
  job.launch_in_kernel = std::move(part.launch_in_kernel);
  job.files = variant.sources;
  job.files.insert(job.files.end(), variant.headers.begin(), variant.headers.end());
  if (const Variant& whole = request.chosen(); variant != whole) {
    job.uncut = whole.sources;
    job.uncut.insert(job.uncut.end(), whole.headers.begin(), whole.headers.end());
  }
  if (is_device_dialect(variant.dialect)) {
    KMUX_ASSIGN(job.blocks, launched_blocks(request));
    job.constants = request.program.constants;
    add_device_units(job, variant, options, names);
    return job;
  }
  for (const File& source : variant.sources) {
    KMUX_ASSIGN(const simt::Language language, language_of(source.path));
    job.units.push_back({source.path, language, unit_arguments(language, variant.settings, options)});
  }
  return job;
}

}  // namespace kmux::cpu
