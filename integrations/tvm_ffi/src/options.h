#pragma once

#include "kmux/compile.h"
#include "kmux/jit_options.h"
#include "kmux/par_compile.h"
#include "kmux/resolver.h"

#include "named_values.h"

namespace kmux::bridge {

/// The options of the runtime from named values; the names are those of the C++ structs.
///
/// Errors: TypeError for an unknown name, with the one that may be meant, and for a value of another type.
CompileOptions compile_options(const NamedValues& values);
ResolveRequest resolve_request(const NamedValues& values);
ParCompileOptions par_compile_options(const NamedValues& values);
JitOptions jit_options(const NamedValues& values);

}  // namespace kmux::bridge
