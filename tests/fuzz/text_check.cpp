#include "fuzz/text_check.h"

#include <algorithm>

#include "kmux/dispatch_json.h"
#include "kmux/text.h"
#include "kmux/validate.h"

#include "ir/text/reader.h"
#include "unit/random_program.h"

namespace kmux {
namespace {

std::string any_file(const std::string& path) { return "content of " + path; }

/// Returns the comments of a text, sorted: formatting may move a comment to another line.
std::vector<std::string> comments_of(const ProgramText& text) {
  const std::string lines = text.source_path.empty() ? std::string(text.content) : embedded_text(text.content);
  std::vector<std::string> comments;
  for (const TextComment& comment : lex(lines).comments)
    comments.push_back(lines.substr(comment.begin, comment.end - comment.begin));
  std::ranges::sort(comments);
  return comments;
}

/// Returns the broken promise of an error; empty if all hold.
std::string check_error(const Error& error, bool is_utf8) {
  if (error.code != ErrorCode::kInvalidArgument) return "an error is invalid_argument";
  if (error.message.empty()) return "an error has a message";
  if (is_utf8 && !is_text(error.explain())) return "an error of UTF-8 is UTF-8";
  return "";
}

std::string check_program(const Program& program) {
  if (!validate(program).empty()) return "what is read is valid";
  const std::string text = to_text(program);
  const Result<Program> from_own_text = from_text({"again.kmux", text}, files_of(program));
  if (!from_own_text) return "its text can be read: " + from_own_text.error().explain() + "\n" + text;
  if (*from_own_text != program) return "its text is read as the same program:\n" + text;
  if (to_text(*from_own_text) != text) return "equal programs have equal text:\n" + text;
  const std::string json = to_json(program);
  const Result<Program> from_own_json = from_json(json, files_of(program));
  if (!from_own_json) return "its JSON can be read: " + from_own_json.error().explain() + "\n" + json;
  if (*from_own_json != program) return "its JSON is read as the same program:\n" + json;
  return to_text(*from_own_json) == text ? "" : "text -> JSON -> text is an identity:\n" + text;
}

std::string check_format(const ProgramText& text, const Program& program) {
  const Result<std::string> formatted = format_text(text);
  if (!formatted) return "it can be formatted: " + formatted.error().explain();
  const ProgramText canonical{text.name, *formatted, text.source_path};
  const Result<Program> read = from_text(canonical, any_file);
  if (!read) return "what is formatted can be read: " + read.error().explain() + "\n" + *formatted;
  const bool has_own_source = !text.source_path.empty();  // formatting changes the source
  if (has_own_source ? to_text(*read) != to_text(program) : *read != program)
    return "formatting keeps the program:\n" + *formatted;
  if (comments_of(canonical) != comments_of(text)) return "formatting keeps comments:\n" + *formatted;
  return format_text(canonical).value_or("") == *formatted ? "" : "what is formatted is canonical:\n" + *formatted;
}

std::string check_text(const ProgramText& text) {
  const Result<Program> program = from_text(text, any_file);
  if (!program) {
    if (!program.error().note("text")) return "an error shows the text";
    return check_error(program.error(), is_text(text.content));
  }
  const std::string broken = check_program(*program);
  return broken.empty() ? check_format(text, *program) : broken;
}

std::string check_signature(std::string_view signature) {
  const Result<Program> program =
      kernel_program({.source = "__global__ void k() {}\n", .signature = signature, .grid = "1", .block = "1"});
  return program ? check_program(*program) : check_error(program.error(), is_text(signature));
}

std::string with_input(const std::string& broken, std::string_view way, std::string_view bytes) {
  return broken.empty() ? ""
                        : "broken as " + std::string(way) + ": " + broken + "\n--- read was:\n" + std::string(bytes);
}

}  // namespace

std::string broken_promise(std::string_view bytes) {
  std::string broken = with_input(check_text({"fuzz.kmux", bytes}), "a file", bytes);
  if (broken.empty() && carries_text(bytes))
    broken = with_input(check_text({"fuzz.cu", bytes, "fuzz.cu"}), "a source", bytes);
  return broken.empty() ? with_input(check_signature(bytes), "a signature", bytes) : broken;
}

}  // namespace kmux
