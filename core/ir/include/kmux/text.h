#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kmux/dispatch.h"
#include "kmux/dispatch_json.h"

namespace kmux {

/// A program as text: a file of its own (`NAME.kmux`), or the comments of a source that carries its program.
struct ProgramText {
  std::string name;  // of the file, for messages
  std::string_view content;  // all of the file
  std::string source_path = {};  // of a source that carries its program: its path in it; empty for a file of its own
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
