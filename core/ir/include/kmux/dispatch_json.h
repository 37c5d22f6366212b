#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "kmux/dispatch.h"
#include "kmux/json.h"
#include "kmux/target.h"

namespace kmux {

/// The version of the JSON form that this library writes and the newest that it reads.
inline constexpr int kDispatchJsonVersion = 1;

/// Canonical JSON: keys sorted, defaults omitted, no spaces, files by path and SHA-256. Equal programs give equal text.
///
/// Source: docs/dispatch-ir.md.
std::string to_json(const Program& program);

/// The same with line breaks and indentation, for people.
std::string to_pretty_json(const Program& program);

/// Gives the content of the file at `path` (relative to the program), or an error.
using FileReader = std::function<Result<std::string>(const std::string& path)>;

/// Reads what `to_json` wrote. Every file is fetched through `read` and checked against its SHA-256.
///
/// Errors: invalid_argument with *all* problems of form (malformed JSON with line and column, unknown keys, wrong
/// types, missing files, digests that differ), each with a JSON pointer; unsupported for a newer version.
/// The result is not validated: call `check_valid`.
Result<Program> from_json(std::string_view json, const FileReader& read);

/// SHA-256 (hex) of what a compile depends on: canonical JSON without metadata. Files enter by their digests.
std::string digest(const Program& program);

/// One expression or signature alone, in the same form.
std::string to_json(const Expr& expr);
/// Errors: invalid_argument with the place in the text.
Result<Expr> expr_from_json(std::string_view json);
/// The JSON form of a signature.
std::string to_json(const Signature& signature);
/// Errors: invalid_argument with the place in the text.
Result<Signature> signature_from_json(std::string_view json);

/// Reads JSON of a flat object of strings, numbers and booleans into text values ({"engine":"clang","fast":true}).
Result<Options> options_from_json(std::string_view json);
/// A flat JSON object of strings.
std::string to_json(const Options& options);

/// The JSON form of a program without "format" and "version", and of its signature; files by path and SHA-256.
Json write_program(const Program& program);
/// The JSON form of a signature.
Json write_signature(const Signature& signature);

}  // namespace kmux
