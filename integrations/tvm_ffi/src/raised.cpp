#include "raised.h"

#include <algorithm>
#include <optional>

#include <tvm/ffi/container/map.h>
#include <tvm/ffi/string.h>

#include "kmux/environment.h"
#include "kmux/plugin/characters.h"

namespace kmux::bridge {
namespace {

constexpr std::string_view kTypeError = "TypeError";
constexpr std::string_view kValueError = "ValueError";

/// Returns the notes by kind, the first of each, so that callers can read them separately.
std::optional<ffi::ObjectRef> notes_of(const Error& error) {
  if (error.notes.empty()) return std::nullopt;
  ffi::Map<ffi::String, ffi::String> notes;
  for (const Note& note : error.notes) {
    if (notes.find(note.kind) == notes.end()) notes.Set(note.kind, as_text(note.text));
  }
  return notes;
}

}  // namespace

std::string as_text(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  while (!bytes.empty()) {
    const std::size_t size = first_character(bytes).size;
    if (size == 0) {
      const auto byte = static_cast<unsigned char>(bytes.front());
      text.append("\\x").append({kDigits[byte >> 4U], kDigits[byte & 15U]});
    } else {
      text += bytes.substr(0, size);
    }
    bytes.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return text;
}

std::string error_kind(ErrorCode code) {
  if (code == ErrorCode::kInvalidArgument) return std::string(kValueError);
  return "kmux." + std::string(to_string(code));
}

ffi::Error raised(const Error& error, std::string_view kind) {
  std::string text = Environment::from_process().verbose ? error.explain() : error.brief("KMUX_VERBOSE=1 shows them");
  text.erase(0, to_string(error.code).size() + 2);  // the kind has the code
  while (text.ends_with('\n')) text.pop_back();
  return {std::string(kind), as_text(text), "", std::nullopt, notes_of(error)};
}

ffi::Error wrong_type(std::string message) { return {std::string(kTypeError), std::move(message), ""}; }

}  // namespace kmux::bridge
