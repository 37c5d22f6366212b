#include "kmux/error.h"

#include "kmux/plugin/word_list.h"

namespace kmux {

std::string_view to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::kOk:
      return "ok";
    case ErrorCode::kInvalidArgument:
      return "invalid_argument";
    case ErrorCode::kUnsupported:
      return "unsupported";
    case ErrorCode::kUnavailable:
      return "unavailable";
    case ErrorCode::kCompileFailed:
      return "compile_failed";
    case ErrorCode::kLaunchFailed:
      return "launch_failed";
    case ErrorCode::kInternal:
      return "internal";
    case ErrorCode::kCancelled:
      return "cancelled";
    case ErrorCode::kTimedOut:
      return "timed_out";
    case ErrorCode::kOutOfMemory:
      return "out_of_memory";
  }
  return "unknown";
}

Error make_error(ErrorCode code, std::string message, const char* file, int line) {
  return Error{code, std::move(message), {}, file, line};
}

Error&& Error::with(std::string kind, std::string text) && {
  notes.push_back({std::move(kind), std::move(text)});
  return std::move(*this);
}

std::optional<std::string_view> Error::note(std::string_view kind) const {
  for (const Note& candidate : notes) {
    if (candidate.kind == kind) return candidate.text;
  }
  return std::nullopt;
}

namespace {

void append_indented(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    out.append("\n").append(line.empty() ? 0 : 4, ' ').append(line);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

/// Appends the lines of a note, with its kind on the first one.
void append_lines(std::vector<std::string>& all, const Note& note) {
  std::string indent = "  " + note.kind + ": ";
  for (const std::string& line : split_lines(note.text)) {
    all.push_back(indent + line);
    indent = "    ";
  }
}

/// Returns false for notes "deps": the files that a backend's answer depends on, for the cache and not for people.
bool is_for_people(const Note& note) { return note.kind != "deps"; }

}  // namespace

std::string Error::brief(std::string_view where, std::size_t lines) const {
  std::vector<std::string> all = split_lines(std::string(to_string(code)) + ": " + message);
  for (const Note& part : notes) {
    if (is_for_people(part)) append_lines(all, part);
  }
  if (all.size() > lines) {
    const std::size_t cut = all.size() - (lines - 1);
    all.resize(lines - 1);
    all.push_back("  (" + std::to_string(cut) + " more lines; " + std::string(where) + ")");
  }
  std::string text;
  for (const std::string& each : all) text.append(text.empty() ? 0 : 1, '\n').append(each);
  return text;
}

std::string Error::explain() const {
  std::string out = std::string(to_string(code)) + ": " + message;
  for (const Note& part : notes) {
    if (!is_for_people(part)) continue;
    out.append("\n  ").append(part.kind).append(":");
    append_indented(out, part.text);
  }
  return out;
}

}  // namespace kmux
