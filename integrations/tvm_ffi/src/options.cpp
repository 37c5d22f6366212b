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
    field<&ParCompileOptions::num_workers>("num_workers"),
    field<&ParCompileOptions::ignore_error>("ignore_error"),
    field<&ParCompileOptions::memory_budget>("memory_budget"),
    field<&ParCompileOptions::timeout>("timeout"),
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

}  // namespace kmux::bridge
