#include "options.h"

namespace kmux::bridge {
namespace {

constexpr Field<CompileOptions> kCompileFields[] = {
    field<&CompileOptions::target>("target"),
    field<&CompileOptions::execution_backend>("execution_backend"),
    field<&CompileOptions::target_host>("target_host"),
    field<&CompileOptions::out_idx>("out_idx"),
    field<&CompileOptions::verbose>("verbose"),
    field<&CompileOptions::device>("device"),
    field<&CompileOptions::options>("options"),
    field<&CompileOptions::compile_flags>("compile_flags"),
    field<&CompileOptions::include_dirs>("include_dirs"),
    field<&CompileOptions::use_cache>("use_cache"),
    field<&CompileOptions::isolation>("isolation"),
    field<&CompileOptions::compile_timeout>("compile_timeout"),
    field<&CompileOptions::policy>("policy"),
    field<&CompileOptions::lock_file>("lock_file"),
};

constexpr Field<ResolveRequest> kResolveFields[] = {
    field<&ResolveRequest::target>("target"),
    field<&ResolveRequest::execution_backend>("execution_backend"),
    field<&ResolveRequest::target_host>("target_host"),
    field<&ResolveRequest::device>("device"),
    field<&ResolveRequest::options>("options"),
    field<&ResolveRequest::compile_flags>("compile_flags"),
    field<&ResolveRequest::include_dirs>("include_dirs"),
    field<&ResolveRequest::use_cache>("use_cache"),
    field<&ResolveRequest::isolation>("isolation"),
    field<&ResolveRequest::compile_timeout>("compile_timeout"),
    field<&ResolveRequest::policy>("policy"),
    field<&ResolveRequest::lock_file>("lock_file"),
};

constexpr Field<ParCompileOptions> kParFields[] = {
    field<&ParCompileOptions::num_workers>("num_workers"), field<&ParCompileOptions::ignore_error>("ignore_error"),
    field<&ParCompileOptions::left_out>("left_out"),       field<&ParCompileOptions::memory_budget>("memory_budget"),
    field<&ParCompileOptions::timeout>("timeout"),
};

constexpr Field<JitOptions> kJitFields[] = {
    field<&JitOptions::target>("target"),
    field<&JitOptions::execution_backend>("execution_backend"),
    field<&JitOptions::target_host>("target_host"),
    field<&JitOptions::out_idx>("out_idx"),
    field<&JitOptions::verbose>("verbose"),
    field<&JitOptions::pass_configs>("options"),
    field<&JitOptions::compile_flags>("compile_flags"),
    field<&JitOptions::debug_root_path>("debug_root_path"),
    field<&JitOptions::name>("name"),
    field<&JitOptions::func_source>("func_source"),
    field<&JitOptions::include_dirs>("include_dirs"),
    field<&JitOptions::device>("device"),
    field<&JitOptions::use_cache>("use_cache"),
    field<&JitOptions::isolation>("isolation"),
    field<&JitOptions::compile_timeout>("compile_timeout"),
    field<&JitOptions::policy>("policy"),
    field<&JitOptions::lock_file>("lock_file"),
};

template <class Options>
Options options_from(const NamedValues& values, std::span<const Field<Options>> fields) {
  Options options;
  set_fields(options, values, fields);
  return options;
}

}  // namespace

CompileOptions compile_options(const NamedValues& values) {
  return options_from<CompileOptions>(values, kCompileFields);
}
ResolveRequest resolve_request(const NamedValues& values) {
  return options_from<ResolveRequest>(values, kResolveFields);
}
ParCompileOptions par_compile_options(const NamedValues& values) {
  return options_from<ParCompileOptions>(values, kParFields);
}

JitOptions jit_options(const NamedValues& values) { return options_from<JitOptions>(values, kJitFields); }

}  // namespace kmux::bridge
