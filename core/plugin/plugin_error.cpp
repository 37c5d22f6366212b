#include <algorithm>

#include "kmux/plugin/plugin.hpp"
#include "kmux/plugin/sink.h"

namespace kmux {
namespace {

constexpr char kNoteBegin = '\x1e';  // "record separator": a note follows
constexpr char kNoteText = '\x1f';   // "unit separator": between the note's kind and its text

/// Writes `text` without the two framing bytes, should a compiler's log contain them.
void write_plain(kmux_sink sink, std::string_view text) {
  while (!text.empty()) {
    const auto end = std::min(text.find_first_of("\x1e\x1f"), text.size());
    write(sink, text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

ErrorCode known_code(kmux_code code) {
  return code > KMUX_OK && code <= KMUX_INTERNAL ? static_cast<ErrorCode>(code) : ErrorCode::kInternal;
}

}  // namespace

kmux_code write_error(const Error& error, kmux_sink sink) noexcept {
  write_plain(sink, error.message);
  for (const Note& note : error.notes) {
    write(sink, std::string_view(&kNoteBegin, 1));
    write_plain(sink, note.kind);
    write(sink, std::string_view(&kNoteText, 1));
    write_plain(sink, note.text);
  }
  return static_cast<kmux_code>(known_code(static_cast<kmux_code>(error.code)));  // never KMUX_OK
}

Error read_error(kmux_code code, std::string_view text) {
  const auto message_end = std::min(text.find(kNoteBegin), text.size());
  Error error = make_error(known_code(code), std::string(text.substr(0, message_end)));
  text.remove_prefix(message_end);
  while (!text.empty()) {
    text.remove_prefix(1);
    const auto note_end = std::min(text.find(kNoteBegin), text.size());
    const std::string_view note = text.substr(0, note_end);
    const auto kind_end = std::min(note.find(kNoteText), note.size());
    error.notes.push_back(
        {std::string(note.substr(0, kind_end)), std::string(note.substr(std::min(kind_end + 1, note.size())))});
    text.remove_prefix(note_end);
  }
  return error;
}

}  // namespace kmux
