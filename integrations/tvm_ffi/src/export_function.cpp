// kmux.export_library.
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/string.h>

#include "kmux/export_library.h"

#include "log_delivery.h"
#include "options.h"
#include "program_object.h"

namespace kmux::bridge {
namespace {

namespace refl = ffi::reflection;

constexpr Field<ExportOptions> kFields[] = {
    field<&ExportOptions::library>("library"),
    field<&ExportOptions::header>("header"),
    field<&ExportOptions::host_compiler>("host_compiler"),
};

/// `where` names files and compiler, `options` are those of a compilation.
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

}  // namespace

TVM_FFI_STATIC_INIT_BLOCK() { refl::GlobalDef().def("kmux.export_library", export_program); }

}  // namespace kmux::bridge
