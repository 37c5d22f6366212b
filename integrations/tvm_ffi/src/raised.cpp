#include "raised.h"

#include <optional>

#include <tvm/ffi/container/map.h>
#include <tvm/ffi/string.h>

#include "kmux/environment.h"
#include "kmux/plugin/printable.h"

#include "log_delivery.h"

namespace kmux::bridge {
namespace {

constexpr std::string_view kTypeError = "TypeError";
constexpr std::string_view kValueError = "ValueError";

/// Returns the notes by kind, the first of each, so that callers can read them separately.
std::optional<ffi::ObjectRef> notes_of(const Error& error) {
  if (error.notes.empty()) return std::nullopt;
  ffi::Map<ffi::String, ffi::String> notes;
  for (const Note& note : error.notes) {
    if (notes.find(note.kind) == notes.end()) notes.Set(note.kind, as_utf8(note.text));
  }
  return notes;
}

}  // namespace

std::string error_kind(ErrorCode code) {
  if (code == ErrorCode::kInvalidArgument) return std::string(kValueError);
  return "kmux." + std::string(to_string(code));
}

ffi::Error raised(const Error& error, std::string_view kind) {
  if (error.code == ErrorCode::kCancelled) throw_pending();
  std::string text = Environment::from_process().verbose ? error.explain() : error.brief("KMUX_VERBOSE=1 shows them");
  text.erase(0, to_string(error.code).size() + 2);  // the kind has the code
  while (text.ends_with('\n')) text.pop_back();
  return {std::string(kind), as_utf8(text), "", std::nullopt, notes_of(error)};
}

ffi::Error wrong_type(std::string message) { return {std::string(kTypeError), std::move(message), ""}; }

}  // namespace kmux::bridge
