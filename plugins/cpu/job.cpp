#include <cstring>
#include <elf.h>

#include "builder.h"
#include "engine/host_cpu.h"
#include "wrapper.h"

namespace kmux::cpu {
namespace {

bool ends_with_any(std::string_view path, std::initializer_list<std::string_view> endings) {
  for (const std::string_view ending : endings) {
    if (path.ends_with(ending)) return true;
  }
  return false;
}

Result<Language> language_of(const std::string& path) {
  if (path.ends_with(".c")) return Language::kC;
  if (ends_with_any(path, {".cpp", ".cc", ".cxx"})) return Language::kCpp;
  return make_error(ErrorCode::kInvalidArgument,
                    "source \"" + path +
                        "\" is neither C nor C++ (dialect c tells by the ending). End it with .c, .cpp, .cc or .cxx.");
}

Language language_of_standard(std::string_view standard) {
  return standard.find("++") == std::string_view::npos ? Language::kC : Language::kCpp;
}

std::string standard_for(Language language, const std::string& asked) {
  if (!asked.empty() && language_of_standard(asked) == language) return asked;
  return language == Language::kC ? "c11" : "c++17";
}

std::vector<std::string> unit_arguments(Language language, const Settings& settings, const BuildOptions& options) {
  // Generated kernels read memory by other types than it was written with.
  std::vector<std::string> arguments = {"-std=" + standard_for(language, settings.standard), "-fno-strict-aliasing"};
  if (settings.fast_math) arguments.emplace_back("-ffast-math");
  for (const std::string& define : settings.defines) arguments.push_back("-D" + define);
  for (const std::string& folder : options.include_dirs) arguments.push_back("-I" + folder);
  for (const std::string& prelude : settings.preludes) {
    arguments.emplace_back("-include");
    arguments.push_back(prelude);
  }
  arguments.insert(arguments.end(), options.compile_flags.begin(), options.compile_flags.end());
  return arguments;
}

Status check_object(const File& file) {
  const auto refuse = [&](const std::string& why) {
    return make_error(ErrorCode::kInvalidArgument, "source \"" + file.path + "\" is no object file for this machine (" +
                                                       why + "). Compile it with -c -fPIC for " + host_triple() + ".");
  };
  Elf64_Ehdr header;
  if (file.content.size() < sizeof header) return refuse("it is too short");
  std::memcpy(&header, file.content.data(), sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return refuse("it is not ELF");
  if (header.e_ident[EI_CLASS] != ELFCLASS64) return refuse("it is not of 64 bits");
  if (header.e_machine != host_elf_machine()) return refuse("it is for another processor");
  if (header.e_type != ET_REL) return refuse("it is not relocatable");
  return Ok{};
}

}  // namespace

Result<CompileJob> make_job(const BuildRequest& request, const BuildOptions& options, std::string_view launcher) {
  const Variant& variant = request.chosen();
  CompileJob job;
  job.launcher = launcher;
  job.entry = kEntry;
  job.cpu = options.march == "native" ? request.target.arch : options.march;
  job.launcher_cpu = options.target_host;
  job.opt_level = options.opt_level;
  job.tier = options.tier;
  if (variant.dialect == "object") {
    for (const File& object : variant.sources) KMUX_TRY(check_object(object));
    return job;
  }
  KMUX_ASSIGN(job.kernels, launched_kernels(request));
  job.files = variant.sources;
  job.files.insert(job.files.end(), variant.headers.begin(), variant.headers.end());
  for (const File& source : variant.sources) {
    KMUX_ASSIGN(const Language language, language_of(source.path));
    job.units.push_back({source.path, language, unit_arguments(language, variant.settings, options)});
  }
  return job;
}

}  // namespace kmux::cpu
