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

/// Returns canonical JSON: keys sorted, defaults omitted, no spaces, files by path and SHA-256. Equal programs give
/// equal text.
///
/// Source: docs/dispatch-ir.md.
std::string to_json(const Program& program);

/// Returns the same with line breaks and indentation, for people.
std::string to_pretty_json(const Program& program);

/// Returns the content of the file at `path` (relative to the program), or an error.
using FileReader = std::function<Result<std::string>(const std::string& path)>;

/// Parses the output of `to_json`. Reads every file through `read` and checks its SHA-256. Does not validate the
/// result: the caller must call `check_valid`.
///
/// Errors: invalid_argument with *all* problems of form (malformed JSON with line and column, unknown keys, wrong
/// types, missing files, digests that differ), each with a JSON pointer; unsupported for a newer version.
Result<Program> from_json(std::string_view json, const FileReader& read);

/// Returns the SHA-256 (hex) of all inputs of a compilation: canonical JSON without metadata, with files by their
/// digests.
std::string digest(const Program& program);

/// Returns the JSON form of one expression.
std::string to_json(const Expr& expr);
/// Parses the JSON form of one expression.
///
/// Errors: invalid_argument with the place in the text.
Result<Expr> expr_from_json(std::string_view json);
/// Returns the JSON form of a signature.
std::string to_json(const Signature& signature);
/// Parses the JSON form of a signature.
///
/// Errors: invalid_argument with the place in the text.
Result<Signature> signature_from_json(std::string_view json);

/// Reads JSON of a flat object of strings, numbers and booleans into text values ({"engine":"clang","fast":true}).
Result<Options> options_from_json(std::string_view json);
/// Returns `options` as a flat JSON object of strings.
std::string to_json(const Options& options);

/// Returns the JSON form of a program, including its signature, without "format" and "version"; files by path and
/// SHA-256.
Json write_program(const Program& program);
/// Returns the JSON form of a signature.
Json write_signature(const Signature& signature);

}  // namespace kmux
