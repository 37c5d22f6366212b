// kmux.error_notes, kmux.version, kmux.plugins, kmux.devices, kmux.did_you_mean, kmux.used_on: queries of this process.
// kmux.compile, kmux.par_compile, kmux.export_library.

#include <optional>

#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/optional.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/string.h>

#include "kmux/compile_wait.h"
#include "kmux/device.h"
#include "kmux/export_library.h"
#include "kmux/json.h"
#include "kmux/plugin/suggestion.h"
#include "kmux/registry.h"
#include "kmux/runtime.h"
#include "kmux/tensor.h"
#include "kmux/version.h"

#include "kernel_function.h"
#include "log_delivery.h"
#include "named_values.h"
#include "program_object.h"
#include "progress_report.h"

namespace kmux::bridge {
namespace {

namespace refl = ffi::reflection;

ffi::Array<ffi::String> strings(const std::vector<std::string>& texts) {
  ffi::Array<ffi::String> strings;
  for (const std::string& text : texts) strings.push_back(text);
  return strings;
}

/// Returns the notes of an error, which TVM-FFI for Python cannot query before 0.1.12.
ffi::Optional<ffi::ObjectRef> error_notes(const ffi::Error& error) {
  const std::optional<ffi::ObjectRef> notes = error.extra_context();
  return notes ? ffi::Optional<ffi::ObjectRef>(*notes) : std::nullopt;
}

NamedValues description_of(const PluginEntry& entry) {
  const Manifest& manifest = entry.manifest;
  return {{"name", ffi::String(manifest.name)},
          {"path", ffi::String(entry.path.string())},
          {"priority", static_cast<std::int64_t>(manifest.priority)},
          {"dialects", strings(manifest.dialects)},
          {"targets", strings(manifest.targets)},
          {"problem", ffi::String(entry.status ? std::string() : entry.status.error().message)}};
}

ffi::Array<NamedValues> plugins() {
  const auto runtime = value_of(Runtime::default_runtime());
  ffi::Array<NamedValues> descriptions;
  for (const PluginEntry& entry : runtime->registry().entries()) descriptions.push_back(description_of(entry));
  return descriptions;
}

/// Returns a JSON document for each device of a plugin.
ffi::Array<ffi::String> devices_here() {
  const auto runtime = value_of(Runtime::default_runtime());
  ffi::Array<ffi::String> documents;
  for (const Device& device : value_of(devices(*runtime))) {
    if (device.plugin() == nullptr) continue;
    documents.push_back(dump(Json::Object{{"backend", device.backend()},
                                          {"ordinal", std::int64_t{device.ordinal()}},
                                          {"properties", value_of(device.properties())}}));
  }
  return documents;
}

ffi::String hint(const ffi::String& word, const ffi::Array<ffi::String>& known) {
  std::vector<std::string> words;
  for (const ffi::String& each : known) words.emplace_back(each);
  return did_you_mean(std::string(word), words);
}

// A tensor of ours that comes back is identified by its address.
void used_on(const ffi::Tensor& tensor, std::int64_t stream) {
  const Tensor ours = value_of(Tensor::from_dlpack(tensor.ToDLPackVersioned()));
  // NOLINTNEXTLINE(performance-no-int-to-ptr): that is how Python has it
  value_of(ours.used_on({reinterpret_cast<void*>(stream)}));
}

ffi::Function compile_program(const ProgramRef& program, const NamedValues& options) {
  return with_log([&] {
    const CompileOptions wanted = compile_options(options);
    const CompileWait wait{.poll = interruption()};
    return KernelFunction::make(
        value_of(wait.poll ? compile(program->program, wanted, wait) : compile(program->program, wanted)));
  });
}

std::vector<CompileJob> jobs_of(const ffi::Array<ProgramRef>& programs, const ffi::Array<NamedValues>& options) {
  const bool is_one_for_all = options.size() == 1;
  if (!is_one_for_all && options.size() != programs.size()) {
    throw raised(make_error(ErrorCode::kInvalidArgument,
                            "there are " + std::to_string(programs.size()) + " programs and " +
                                std::to_string(options.size()) +
                                " sets of options (it takes one for all or one each). Pass as many."));
  }
  std::vector<CompileJob> jobs;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const auto place = static_cast<std::int64_t>(is_one_for_all ? 0 : i);
    jobs.push_back({programs[static_cast<std::int64_t>(i)]->program, compile_options(options[place])});
  }
  return jobs;
}

ffi::Array<ffi::Optional<ffi::Function>> compile_programs(const ffi::Array<ProgramRef>& programs,
                                                          const ffi::Array<NamedValues>& options,
                                                          const NamedValues& how,
                                                          const ffi::Optional<ffi::Function>& progress) {
  return with_log([&] {
    ParSettings settings = par_settings(how);
    settings.poll = interruption();
    settings.progress = progress_report(progress);
    const std::vector<CompileJob> jobs = jobs_of(programs, options);
    const auto kernels = settings.compile([&](const auto& with) { return par_compile(jobs, with); },
                                          [&](const auto& with) { return try_par_compile(jobs, with); });
    ffi::Array<ffi::Optional<ffi::Function>> functions;
    for (const std::optional<Kernel>& kernel : kernels) {
      functions.push_back(kernel ? ffi::Optional<ffi::Function>(KernelFunction::make(*kernel)) : std::nullopt);
    }
    return functions;
  });
}

constexpr Field<ExportOptions> kFields[] = {
    field<&ExportOptions::library>("library"),
    field<&ExportOptions::header>("header"),
    field<&ExportOptions::host_compiler>("host_compiler"),
};

/// Exports a program. `where` names files and compiler, `options` are those of a compilation.
NamedValues export_program(const ProgramRef& program, const NamedValues& where, const NamedValues& options) {
  return with_log([&]() -> NamedValues {
    ExportOptions wanted{.compile = compile_options(options)};
    set_fields<ExportOptions>(wanted, where, kFields);
    const ExportedLibrary made = value_of(export_library(program->program, wanted));
    ffi::Array<ffi::String> symbols;
    for (const std::string& symbol : made.symbols) symbols.push_back(symbol);
    return {{"library", ffi::String(made.library)},
            {"header", ffi::String(made.header)},
            {"backend", ffi::String(made.backend)},
            {"target", ffi::String(to_string(made.target))},
            {"bytes", static_cast<std::int64_t>(made.bytes)},
            {"symbols", symbols},
            {"from_cache", made.from_cache}};
  });
}

/// Returns a function that fails with this thread's latest error: a caller of a function by its pointer raises the
/// error with it.
ffi::Function raise_last() {
  return ffi::Function::FromExternC(
      nullptr, [](void*, const TVMFFIAny*, std::int32_t, TVMFFIAny*) { return -1; }, nullptr);
}

}  // namespace

TVM_FFI_STATIC_INIT_BLOCK() {
  ffi::Function::SetGlobal("kmux.raise_last", raise_last());
  refl::GlobalDef()
      .def("kmux.error_notes", error_notes)
      .def("kmux.version", [] { return ffi::String(version()); })
      .def("kmux.plugins", plugins)
      .def("kmux.devices", devices_here)
      .def("kmux.did_you_mean", hint)
      .def("kmux.used_on", used_on)
      .def("kmux.check_options", [](const NamedValues& options) { (void)compile_options(options); })
      .def("kmux.compile", compile_program)
      .def("kmux.par_compile", compile_programs)
      .def("kmux.export_library", export_program);
}

}  // namespace kmux::bridge
