// kmux.load_program, kmux.program_from_json, kmux.kernel_program, kmux.dialect_of_file, kmux.save_program,
// kmux.cached_program, kmux.cache_program, and the properties of a kmux.Program.
// kmux.resolve, and the properties of a kmux.Resolution.

#include "program_object.h"

#include <filesystem>
#include <utility>

#include <tvm/ffi/container/map.h>
#include <tvm/ffi/container/variant.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/string.h>

#include "kmux/cached_program.h"
#include "kmux/compile.h"
#include "kmux/dispatch_json.h"
#include "kmux/plugin/quoted_headers.h"
#include "kmux/plugin/suggestion.h"
#include "kmux/plugin/word_list.h"
#include "kmux/program.h"
#include "kmux/runtime.h"
#include "kmux/text.h"
#include "kmux/validate.h"

#include "log_delivery.h"
#include "named_values.h"
#include "python_end.h"

namespace kmux::bridge {
namespace {

namespace refl = ffi::reflection;

/// Contents of files may be any bytes, and are bytes in the languages whose strings cannot hold them.
using Content = ffi::Variant<ffi::String, ffi::Bytes>;
using GivenFiles = ffi::Map<ffi::String, Content>;
using Files = ffi::Map<ffi::String, ffi::Bytes>;

std::string bytes_of(const Content& content) {
  if (const auto text = content.as<ffi::String>()) return *text;
  return content.get<ffi::Bytes>();
}

ProgramRef load(const ffi::String& path) { return ProgramRef(value_of(load_program(std::string(path)))); }

void collect(Files& files, const std::vector<File>& more) {
  for (const File& file : more) files.Set(file.path, ffi::Bytes(file.content));
}

Files files_named_by(const Program& program) {
  Files files;
  for (const Variant& variant : program.variants) {
    collect(files, variant.sources);
    collect(files, variant.headers);
  }
  return files;
}

/// Refuses given files that the document does not name: mostly paths that are misspelt in one of the two places.
Status check_all_named(const Program& program, const GivenFiles& given) {
  const Files named = files_named_by(program);
  std::vector<std::string> names;
  for (const auto& [path, content] : named) names.emplace_back(path);
  for (const auto& [path, content] : given) {
    if (named.find(path) != named.end()) continue;
    return make_error(ErrorCode::kInvalidArgument,
                      "file '" + std::string(path) + "' is given, but the document does not name it (it names " +
                          (names.empty() ? "none" : join(names)) + ")." + did_you_mean(std::string(path), names) +
                          " Name it among a variant's sources or headers, or leave it out.");
  }
  return Ok{};
}

Result<Program> valid_program(const std::string& json, const GivenFiles& files) {
  KMUX_ASSIGN(Program program, from_json(json, [&files](const std::string& path) -> Result<std::string> {
                if (const auto content = files.Get(path)) return bytes_of(*content);
                return make_error(ErrorCode::kInvalidArgument,
                                  "file '" + path + "' is not given (the document names it). Pass it among the files.");
              }));
  KMUX_TRY(check_valid(program));
  KMUX_TRY(check_all_named(program, files));
  return program;
}

ProgramRef from_text(const ffi::String& json, const GivenFiles& files) {
  return ProgramRef(value_of(valid_program(json, files)));
}

/// Returns the program of a KernelText. `how` has its other parts by name, and the path of the source if it has one.
ProgramRef of_kernel(const Content& given, const ffi::String& signature,
                     const ffi::Map<ffi::String, ffi::String>& how) {
  const auto part = [&how](const char* name) { return std::string(how.Get(name).value_or(ffi::String())); };
  const std::string dialect = part("dialect");
  const std::string source = bytes_of(given);
  const std::string defines = part("defines");  // a line for each
  const std::string path = part("path");
  Program program =
      value_of(kernel_program({.source = source,
                               .signature = {signature.data(), signature.size()},
                               .grid = part("grid"),
                               .block = part("block"),
                               .dynamic_smem_bytes = part("dynamic_smem_bytes"),
                               .args = part("args"),
                               .name = part("name"),
                               .dialect = dialect.empty() ? std::string(dialect_of_file(path)) : dialect,
                               .defines = defines.empty() ? std::vector<std::string>() : split_lines(defines)}));
  if (path.empty()) return ProgramRef(std::move(program));  // a text has no folder
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  for (Variant& variant : program.variants) add_quoted_headers(variant, folder, HeaderReach::kTree);
  value_of(check_valid(program));
  return ProgramRef(std::move(program));
}

ffi::Optional<ProgramRef> kept(const ffi::String& origin) {
  std::optional<Program> program = cached_program(*value_of(Runtime::default_runtime()), origin);
  if (!program) return std::nullopt;
  return ProgramRef(*std::move(program));
}

void keep(const ffi::String& origin, const ProgramRef& program) {
  cache_program(*value_of(Runtime::default_runtime()), origin, program->program);
}

void save(const ProgramRef& program, const ffi::String& path) {
  value_of(save_program(program->program, std::string(path)));
}

ResolutionRef resolve_program(const ProgramRef& program, const NamedValues& options) {
  return with_log([&] { return ResolutionRef(value_of(resolve(program->program, resolve_options(options)))); });
}

ffi::String backend_of(const ResolutionObj* self) { return value_of(require(self->resolution)).backend; }

}  // namespace

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::ObjectDef<ProgramObj>(refl::init(false))
      .def("_name", guarded_method([](const ProgramObj* self) { return ffi::String(self->program.name); }))
      .def("_digest", guarded_method([](const ProgramObj* self) { return ffi::String(digest(self->program)); }))
      .def("_json", guarded_method([](const ProgramObj* self) { return ffi::String(to_json(self->program)); }))
      .def("_has_outputs",
           guarded_method([](const ProgramObj* self) { return !self->program.signature.outputs.empty(); }))
      .def("_files", guarded_method([](const ProgramObj* self) { return files_named_by(self->program); }));
  refl::GlobalDef()
      .def("kmux.load_program", load)
      .def("kmux.program_from_json", from_text)
      .def("kmux.kernel_program", of_kernel)
      .def("kmux.dialect_of_file",
           [](const ffi::String& path) { return ffi::String(std::string(dialect_of_file(std::string(path)))); })
      .def("kmux.save_program", save)
      .def("kmux.cached_program", kept)
      .def("kmux.cache_program", keep);
}

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::ObjectDef<ResolutionObj>(refl::init(false))
      .def("_backend", guarded_method(backend_of))
      .def("_explain",
           guarded_method([](const ResolutionObj* self) { return ffi::String(self->resolution.explain()); }))
      .def("_explain_fully",
           guarded_method([](const ResolutionObj* self) { return ffi::String(self->resolution.explain_fully()); }))
      .def("_json",
           guarded_method([](const ResolutionObj* self) { return ffi::String(dump(self->resolution.to_json())); }));
  refl::GlobalDef().def("kmux.resolve", resolve_program);
}

}  // namespace kmux::bridge
