#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/dispatch.h"
#include "kmux/dispatch_json.h"

namespace kmux {

/// A piece of a text that was put together of what somebody wrote: bytes `begin` to `end`.
struct TextPart {
  std::string name;  // for messages
  std::size_t begin;  // of the first byte
  std::size_t end;  // behind the last byte
};

/// A program as text: a file of its own (`NAME.kmux`), or the comments of a source that carries its program.
struct ProgramText {
  std::string name;  // of the file, for messages
  std::string_view content;  // all of the file
  std::string source_path = {};  // of a source that carries its program: its path in it; empty for a file of its own
  std::string_view source = {};  // all of that source, where `content` is the text alone
  std::vector<TextPart> parts =
      {};  // that `content` was put together of, in order: errors show these; empty: all of it
};

/// The canonical text form of a valid program, which names its files by path. Equal programs give equal text.
///
/// Source: docs/text-form.md.
std::string to_text(const Program& program);

/// Reads what `to_text` wrote or a person did, and validates it. Every file that it names is fetched through `read`.
///
/// Errors: invalid_argument with all problems. The message has the first one, note "text" each as a compiler prints it: file,
///         line, column, the line, a caret.
/// Lifetime: `text` is read during the call.
Result<Program> from_text(const ProgramText& text, const FileReader& read);

/// A kernel in a line or two: a source, what its function takes and how it is launched.
struct KernelText {
  std::string_view source;  // all of it
  /// "saxpy(a: f32, x: f32[n], inout y: f32[n])"; or all of a program, and of what is below only `dialect` is read; empty
  /// for a source that carries its program
  std::string_view signature;
  std::string grid = {};  // "ceildiv(n, 256)" or "[m, ceildiv(n, 64)]"; empty for functions of the host (dialect c)
  std::string block = {};  // likewise
  std::string dynamic_smem_bytes = {};  // empty: none
  /// "a, x, y, n: i64"; empty: every parameter, then every symbol. An integer without a type is i64 where the source
  /// declares a parameter of 64 bits, else i32
  std::string args = {};
  std::string name = {};  // of the function, with template arguments ("scale<float>"); empty: the signature's
  std::string dialect = {};  // empty: what the source looks like ("__global__": cuda), else c
};

/// The program of a kernel text. Its only source is `source` with the program in a comment at its end.
///
/// Errors: invalid_argument as `from_text`, of the part that is wrong, by its name ("grid"); for a dialect that is not written by people; without a signature; without a grid or
///         a block for a dialect of kernels.
Result<Program> kernel_program(const KernelText& kernel);

/// The file with its text in canonical form: comments stay, and of a source all but the text. No other file is read.
///
/// Errors: as `from_text`.
Result<std::string> format_text(const ProgramText& text);

/// Has `source` a comment "kmux" that a program follows in?
bool carries_text(std::string_view source);

/// How the file `path` of this content has its program, by its name or its comments; nothing if it is JSON.
std::optional<ProgramText> text_in_file(const std::string& path, std::string_view content);

/// The dialect that files of this name are in ("gemm.cu": "cuda"); empty if the name does not say.
std::string_view dialect_of_file(std::string_view path);

}  // namespace kmux
