#pragma once

#include <memory>
#include <string>

#include "kmux/compile.h"
#include "kmux/program.h"
#include "kmux/resolver.h"
#include "kmux/runtime.h"

#include "command.h"

namespace kmux::cli {

/// Adds what says which backend compiles how: --backend --target --device --option --flag
/// --isolation --compile-timeout --include.
void describe_selection(po::options_description& options);

/// The same, but -o is left to the command.
void describe_selection_without_o(po::options_description& options);

/// The program that the command line names.
Result<Program> read_program(const po::variables_map& arguments);

/// The options of a compile.
///
/// Errors: invalid_argument for an --option without '=', or a --device or --compile-timeout that is negative or too large.
Result<CompileOptions> compile_options(const po::variables_map& arguments);

/// The request of a resolve alone.
Result<ResolveRequest> resolve_request(const po::variables_map& arguments, Purpose purpose);

/// That nothing here runs the program, and what was taken; empty if that is not so, or if backend or target were named.
std::string notice_of(const Resolution& resolution);

/// The value of an option; empty if it was not given.
std::string value_of(const po::variables_map& arguments, const std::string& name);

/// The values of a repeatable option; empty if it was not given.
std::vector<std::string> values_of(const po::variables_map& arguments, const std::string& name);

}  // namespace kmux::cli
