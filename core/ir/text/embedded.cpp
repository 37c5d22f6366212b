#include <algorithm>
#include <array>
#include <map>
#include <ranges>
#include <unordered_map>

#include "kmux/guarded.h"
#include "kmux/plugin/characters.h"
#include "kmux/plugin/word_list.h"
#include "kmux/validate.h"

#include "ir/declared_parameters.h"
#include "reader.h"

namespace kmux {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{16} << 20;  // as of a JSON document
constexpr std::size_t kMaxShown = 20;  // problems; later ones are often consequences of the first
constexpr std::size_t kMaxColumns = 150;  // of a printed line
constexpr std::size_t kMaxNarrowed = std::size_t{64} << 10;  // bytes of a place that is searched for a name

using Ending = std::pair<std::string_view, std::string_view>;  // file extension, and its dialect

// The usual extension of a dialect comes first. An extension comes before its own suffixes: ".hip.cpp" before ".cpp". A
// .cpp file is dialect c: C or C++ of the host.
constexpr std::array kEndings = std::to_array<Ending>({{".hip", "hip"},
                                                       {".hip.cpp", "hip"},
                                                       {".cu", "cuda"},
                                                       {".c", "c"},
                                                       {".cpp", "c"},
                                                       {".cc", "c"},
                                                       {".cxx", "c"},
                                                       {".metal", "msl"},
                                                       {".py", "cutedsl"},
                                                       {".ptx", "ptx"},
                                                       {".cubin", "cubin"},
                                                       {".fatbin", "cubin"},
                                                       {".hsaco", "hsaco"},
                                                       {".metallib", "metallib"},
                                                       {".o", "object"}});

std::string_view without_blanks(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  const std::size_t last = line.find_last_not_of(" \t\r\n");
  return first == std::string_view::npos || last < first ? std::string_view() : line.substr(first, last - first + 1);
}

/// The lines of a program text within a source: bytes `begin` to `end`, each line after `mark`.
struct EmbeddedLines {
  std::string_view mark;
  std::string_view indent;  // of the line "//! kmux"
  std::string_view ending = "\n";  // of the line "//! kmux"
  std::size_t begin = 0;
  std::size_t end = 0;
};

std::size_t end_of_line(std::string_view text, std::size_t at) {
  const std::size_t end = text.find('\n', at);
  return end == std::string_view::npos ? text.size() : end + 1;
}

std::optional<EmbeddedLines> find_embedded(std::string_view source) {
  EmbeddedLines lines;
  for (std::size_t at = byte_order_mark_size(source); at < source.size() && lines.mark.empty(); at = lines.begin) {
    lines.begin = end_of_line(source, at);
    const std::string_view whole = source.substr(at, lines.begin - at), line = without_blanks(whole);
    for (const std::string_view mark : {"//!", "#!"}) {
      if (!line.starts_with(mark) || without_blanks(line.substr(mark.size())) != "kmux") continue;
      lines.mark = mark;
      lines.indent = whole.substr(0, whole.find(mark));
      if (whole.ends_with("\r\n")) lines.ending = "\r\n";
    }
  }
  if (lines.mark.empty()) return std::nullopt;
  for (lines.end = lines.begin; lines.end < source.size();) {
    const std::size_t next = end_of_line(source, lines.end);
    if (!without_blanks(source.substr(lines.end, next - lines.end)).starts_with(lines.mark)) break;
    lines.end = next;
  }
  return lines;
}

std::string blank(std::string_view text) {
  std::string blanks(text);
  std::ranges::replace_if(blanks, [](char c) { return c != '\n'; }, ' ');
  return blanks;
}

}  // namespace

bool carries_text(std::string_view source) { return find_embedded(source).has_value(); }

std::optional<ProgramText> text_in_file(const std::string& path, std::string_view content) {
  if (path.ends_with(".json")) return std::nullopt;
  if (path.ends_with(".kmux")) return ProgramText{path, content};
  const std::string name = path.substr(path.rfind('/') + 1);
  if (dialect_of_file(name).empty() && !carries_text(content)) return std::nullopt;
  return ProgramText{path, content, name};
}

std::string embedded_text(std::string_view source) {
  const std::optional<EmbeddedLines> lines = find_embedded(source);
  if (!lines) return "";
  std::string text = blank(source.substr(0, lines->begin));
  for (std::size_t at = lines->begin; at < lines->end;) {
    const std::size_t next = end_of_line(source, at);
    const std::size_t behind = source.find(lines->mark, at) + lines->mark.size();
    text += blank(source.substr(at, behind - at));
    text += source.substr(behind, next - behind);
    at = next;
  }
  return text;
}

std::string with_embedded_text(std::string_view source, std::string_view text) {
  const std::optional<EmbeddedLines> lines = find_embedded(source);
  if (!lines) return std::string(source);
  std::string result(source.substr(0, lines->begin));
  for (const std::string& line : split_lines(text)) {
    result.append(lines->indent).append(lines->mark).append(" ").append(line).append(lines->ending);
  }
  result += source.substr(lines->end);
  return result;
}

std::string_view dialect_of_file(std::string_view path) {
  const auto found = std::ranges::find_if(kEndings, [&](const Ending& ending) { return path.ends_with(ending.first); });
  return found == kEndings.end() ? std::string_view() : found->second;
}

std::string_view usual_ending(std::string_view dialect) {
  const auto found = std::ranges::find(kEndings, dialect, &Ending::second);
  return found == kEndings.end() ? std::string_view() : found->first;
}

std::size_t size_to_cut(std::string_view text, std::size_t size) {
  if (size >= text.size()) return text.size();
  while (size > 0 && (text[size] & 0xc0) == 0x80) --size;
  return size;
}

namespace {

/// Returns the start of the line that holds byte `at`: in the first line, the byte after a byte-order mark.
std::size_t begin_of_line(std::string_view text, std::size_t at) {
  return std::max(text.substr(0, at).rfind('\n') + 1, std::min(at, byte_order_mark_size(text)));
}

}  // namespace

std::string line_and_column(std::string_view text, std::size_t at) {
  const auto line = 1 + std::ranges::count(text.substr(0, at), '\n');
  return std::to_string(line) + ":" + std::to_string(at - begin_of_line(text, at) + 1);
}

namespace {

/// Returns carets below bytes `at` to `end` of a line that begins at `begin`: one per UTF-8 character; tabs are kept.
std::string carets(std::string_view text, std::size_t begin, std::size_t at, std::size_t end) {
  std::string below;
  for (const char c : text.substr(begin, at - begin)) {
    if ((c & 0xc0) != 0x80) below += c == '\t' ? '\t' : ' ';
  }
  below += '^';
  for (std::size_t i = at + 1; i < end; ++i) {
    if ((text[i] & 0xc0) != 0x80) below += '~';
  }
  return below;
}

/// Returns the line of a problem, with carets below it; for a long line only the part around the problem.
std::string shown_line(std::string_view text, const TextProblem& problem) {
  std::size_t begin = begin_of_line(text, problem.begin);
  std::size_t end = std::min(text.find('\n', problem.begin), text.size());
  if (end - begin > kMaxColumns) {
    begin = size_to_cut(text, problem.begin - std::min(problem.begin - begin, kMaxColumns / 2));
    end = size_to_cut(text, std::min(end, begin + kMaxColumns));
  }
  std::string line(text.substr(begin, end - begin));
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
  for (char& c : line) c = static_cast<unsigned char>(c) < 0x20 && c != '\t' ? '?' : c;
  return line + "\n" + carets(text, begin, problem.begin, std::min(problem.end, end));
}

/// A problem located in its part, if the text was assembled from parts.
struct Written {
  std::string_view name;
  std::string_view content;
  TextProblem problem;  // within `content`
};

/// Locates a problem in the last part that begins before it. A problem after the end of that part, in generated text,
/// covers the whole part.
Written written(TextProblem problem, const ProgramText& text) {
  if (text.parts.empty()) return {text.name, text.content, std::move(problem)};
  const auto next = std::ranges::upper_bound(text.parts, problem.begin, {}, &TextPart::begin);
  const TextPart& part = next == text.parts.begin() ? *next : *std::prev(next);
  const bool is_within = problem.begin >= part.begin && problem.begin <= part.end;
  problem.begin = is_within ? problem.begin - part.begin : 0;
  problem.end = (is_within ? std::min(problem.end, part.end) : part.end) - part.begin;
  return {part.name, text.content.substr(part.begin, part.end - part.begin), std::move(problem)};
}

std::string shown(const Written& at) {
  return std::string(at.name) + ":" + line_and_column(at.content, at.problem.begin) + ": error: " + at.problem.message +
         "\n" + shown_line(at.content, at.problem);
}

/// Places by their pointers; the first one wins.
using PlaceIndex = std::unordered_map<std::string_view, const TextPlace*>;

PlaceIndex index_of(const std::vector<TextPlace>& places) {
  PlaceIndex index;
  for (const TextPlace& place : places) index.emplace(place.pointer, &place);
  return index;
}

/// Returns the place of `pointer` or of its nearest ancestor; null if none has a place.
const TextPlace* place_of(std::string_view pointer, const PlaceIndex& places) {
  for (;; pointer = pointer.substr(0, pointer.rfind('/'))) {
    if (const auto found = places.find(pointer); found != places.end()) return found->second;
    if (pointer.find('/') == std::string_view::npos) return nullptr;
  }
}

/// Returns "12:7", after the name of the part if the text has parts.
std::string place_in(const ProgramText& text, std::size_t at) {
  const Written found = written({at, at, ""}, text);
  return (text.parts.empty() ? "" : std::string(found.name) + ":") +
         line_and_column(found.content, found.problem.begin);
}

/// Replaces JSON pointers in a message by positions in the text.
std::string without_pointers(std::string message, const PlaceIndex& places, const ProgramText& text) {
  for (std::size_t at = message.find(" /"); at != std::string::npos; at = message.find(" /", at + 1)) {
    const std::size_t end = std::min(message.find_first_of(" )", at + 1), message.size());
    const std::string pointer = message.substr(at + 1, end - at - 1);
    const TextPlace* place = place_of(pointer, places);
    const bool is_place = place != nullptr && !place->pointer.empty();
    if (is_place) message.replace(at + 1, pointer.size(), place_in(text, place->begin));
  }
  return message;
}

/// Narrows the place of a problem to the word quoted in its message, if the place contains that word.
void narrow(TextProblem& problem, std::string_view text) {
  const std::size_t open = problem.message.find('"');
  const std::size_t close = problem.message.find('"', open + 1);
  if (open == std::string::npos || close == std::string::npos || close == open + 1) return;
  if (problem.end - problem.begin > kMaxNarrowed) return;
  const std::string word = problem.message.substr(open + 1, close - open - 1);
  for (const Token& token : lex(text.substr(problem.begin, problem.end - problem.begin)).tokens) {
    const std::size_t begin = problem.begin + token.begin;
    if (token.kind != TokenKind::kName || text.substr(begin, token.end - token.begin) != word) continue;
    problem.begin = begin;
    problem.end = begin + word.size();
    return;
  }
}

/// Converts a problem of `validate` to a problem with a position in the text.
TextProblem located(const Problem& problem, const PlaceIndex& places, const ProgramText& text, std::string_view lines) {
  const TextPlace* best = place_of(problem.path, places);
  TextProblem found{best == nullptr ? 0 : best->begin, best == nullptr ? 0 : best->end,
                    without_pointers(problem.message, places, text)};
  narrow(found, lines);
  return found;
}

/// The program of a text, and the places and comments of its lines.
struct ReadText {
  Program program;
  std::vector<TextPlace> places;
  std::vector<TextComment> comments;
};

Error refused(std::string_view name, const std::string& why) {
  return make_error(ErrorCode::kInvalidArgument, "'" + std::string(name) + "' " + why);
}

Result<ReadText> read_text(const ProgramText& text, const FileReader& read) {
  const bool has_source = !text.source_path.empty(), is_source = has_source && text.source.empty();
  const std::string embedded = is_source ? embedded_text(text.content) : "";
  const std::string_view lines = is_source ? embedded : text.content;
  if (is_source && embedded.empty()) {
    return refused(text.name,
                   "carries no program (there is no comment \"//! kmux\", or \"#! kmux\" in Python). Write the program "
                   "behind one, or name a file NAME.kmux or NAME.kmux.json.");
  }
  if (lines.size() > kMaxBytes) {
    return refused(text.name, "has " + std::to_string(lines.size()) + " bytes (the limit is " +
                                  std::to_string(kMaxBytes) + "). Keep sources and data in files of their own.");
  }
  Lexed lexed = lex(lines);
  ReadText result{{}, {}, std::move(lexed.comments)};
  TextReader in(lines, std::move(lexed));
  const File own{text.source_path, std::string(is_source ? text.content : text.source)};
  result.program = read_text_program(in, read, has_source ? &own : nullptr);
  for (Variant& variant : result.program.variants) settle_integers(variant);
  result.places = in.places();
  std::vector<TextProblem> problems = in.take_problems();
  if (!in.is_broken()) {
    const std::vector<Problem> wrong = validate(result.program);
    const PlaceIndex places = wrong.empty() ? PlaceIndex() : index_of(result.places);
    for (const Problem& problem : wrong | std::views::take(kMaxProblems))
      problems.push_back(located(problem, places, text, lines));
  }
  if (!problems.empty()) return error_of(problems, text);
  return result;
}

/// Assigns each comment to its line: the one that it follows or interrupts, else the next.
std::map<std::string, LineComments> comments_of(const ReadText& read, std::string_view text) {
  std::vector<TextPlace> lines;
  std::ranges::copy_if(read.places, std::back_inserter(lines), &TextPlace::is_line);
  std::ranges::sort(lines, {}, &TextPlace::begin);
  std::map<std::string, LineComments> all;
  for (const TextComment& comment : read.comments) {
    auto line = std::ranges::upper_bound(lines, comment.begin, {}, &TextPlace::begin);
    const bool is_within = line != lines.begin() && (!comment.is_alone || std::prev(line)->end > comment.begin);
    if (is_within) --line;
    LineComments& found = all[line == lines.end() ? "the end" : line->pointer];
    const std::string words(text.substr(comment.begin, comment.end - comment.begin));
    const bool is_behind = is_within && !comment.is_alone && line->end <= comment.begin && found.behind.empty();
    if (is_behind)
      found.behind = words;
    else
      found.above.push_back(words);
  }
  return all;
}

}  // namespace

Error error_of(const std::vector<TextProblem>& problems, const ProgramText& text) {
  std::multimap<std::size_t, Written> by_place;  // those of one place in the order of discovery
  for (const TextProblem& problem : problems) by_place.emplace(problem.begin, written(problem, text));
  const Written& first = by_place.begin()->second;
  const auto same = std::ranges::count(by_place | std::views::values, first.name, &Written::name);
  const std::string count = same == 1 ? "an error" : std::to_string(same) + " errors, the first";
  std::string all;
  for (const Written& at : by_place | std::views::values | std::views::take(kMaxShown)) {
    all += (&at == &first ? "" : "\n") + shown(at);
  }
  if (problems.size() > kMaxShown) all += "\nand " + std::to_string(problems.size() - kMaxShown) + " more errors";
  return refused(first.name, "has " + count + " at " + line_and_column(first.content, first.problem.begin) + ": " +
                                 first.problem.message)
      .with("text", std::move(all));
}

Result<Program> from_text(const ProgramText& text, const FileReader& read) {
  return guarded_but_callers([&]() -> Result<Program> {
    KMUX_ASSIGN(ReadText result, read_text(text, read));
    return std::move(result.program);
  });
}

namespace {

/// Returns the canonical form of a whole file with the byte-order mark of `own`, and the line ending of its first line.
std::string with_form_of(std::string_view own, const std::string& canonical) {
  std::string result(own.substr(0, byte_order_mark_size(own)));
  if (!own.substr(0, end_of_line(own, 0)).ends_with("\r\n")) return result + canonical;
  for (const std::string& line : split_lines(canonical)) result.append(line).append("\r\n");
  return result;
}

}  // namespace

Result<std::string> format_text(const ProgramText& text) {
  return guarded([&]() -> Result<std::string> {
    KMUX_ASSIGN(const ReadText read,
                read_text(text, [](const std::string&) -> Result<std::string> { return std::string(); }));
    const std::string canonical = print_text(read.program, text.source_path, comments_of(read, text.content));
    return text.source_path.empty() ? with_form_of(text.content, canonical)
                                    : with_embedded_text(text.content, canonical);
  });
}

}  // namespace kmux
