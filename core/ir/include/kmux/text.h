#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/dispatch.h"
#include "kmux/dispatch_json.h"

namespace kmux {

/// A part of a text that was assembled from several inputs: bytes `begin` to `end`.
struct TextPart {
  std::string name;  // for messages
  std::size_t begin;  // of the first byte
  std::size_t end;  // past the last byte
};

/// A program as text: a separate file (`NAME.kmux`), or the comments of a source that carries its program.
struct ProgramText {
  std::string name;  // of the file, for messages
  std::string_view content;  // all of the file
  std::string source_path = {};  // path in the program of the source that carries it; empty for a separate file
  std::string_view source = {};  // all of that source, if `content` is the text alone
  std::vector<TextPart> parts =
      {};  // the inputs that `content` was assembled from, in order: errors show these; empty: all of it
};

/// Returns the canonical text form of a valid program, with files by path. Equal programs give equal text.
///
/// Source: docs/text-form.md.
std::string to_text(const Program& program);

/// Parses and validates a program in text form, printed by `to_text` or written by hand. Reads its files through
/// `read`.
///
/// Errors: invalid_argument with all problems. The message has the first one; a note "text" has each as a compiler
///         prints it: file, line, column, the line, a caret.
/// Lifetime: `text` is borrowed for the call.
Result<Program> from_text(const ProgramText& text, const FileReader& read);

/// A short description of a kernel: its source, its signature and its launch.
struct KernelText {
  std::string_view source;  // all of it
  /// "saxpy(a: f32, x: f32[n], inout y: f32[n])". May also be a whole program: then only `dialect` of the members below
  /// is read, and `defines` must be empty. Empty for a source that carries its program, likewise.
  std::string_view signature;
  std::string grid = {};  // "ceildiv(n, 256)" or "[m, ceildiv(n, 64)]"; empty for functions of the host (dialect c)
  std::string block = {};  // likewise
  std::string dynamic_smem_bytes = {};  // empty: 0
  /// "a, x, y, n: i64"; empty: every parameter, then every symbol. An integer without a type is i64 if the source
  /// declares a 64-bit parameter for it, else i32.
  std::string args = {};
  std::string name = {};  // of the function, with template arguments ("scale<float>"); empty: the signature's
  std::string dialect = {};  // empty: detected from the source ("__global__": cuda), else c
  std::vector<std::string> defines = {};  // macros of the source: "NAME" or "NAME=VALUE"
};

/// Returns the program of a kernel text. Its only source is `source` with the program in a comment at its end.
///
/// Errors: invalid_argument as `from_text`, with the name of the invalid part ("grid"); for a dialect that is not
///         written by hand; for a missing signature; for a missing grid or block in a dialect of kernels; for
///         defines beside a program.
Result<Program> kernel_program(const KernelText& kernel);

/// Returns the file with its program text in canonical form. Keeps comments, the byte-order mark, the line ending
/// (of the first line, in a source of the line "//! kmux") and the rest of a source. Reads no other file.
///
/// Errors: as `from_text`.
Result<std::string> format_text(const ProgramText& text);

/// Returns true if `source` has a comment "kmux" that holds a program.
bool carries_text(std::string_view source);

/// Returns the program text of the file `path` with this content, found by its name or its comments; nothing for JSON.
std::optional<ProgramText> text_in_file(const std::string& path, std::string_view content);

/// Returns the dialect of files of this name ("gemm.cu": "cuda"); empty if the name does not determine it.
std::string_view dialect_of_file(std::string_view path);

}  // namespace kmux
