#include "kmux/plugin/source_unit.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "kmux/plugin/characters.h"

namespace kmux {
namespace {

std::string normal(const std::filesystem::path& path) { return path.lexically_normal().string(); }

std::string_view after(std::string_view text, std::size_t count) { return text.substr(std::min(count, text.size())); }

std::string_view skip_blanks(std::string_view text) { return after(text, text.find_first_not_of(" \t")); }

// The file name in an #include line, and its position.
struct Named {
  std::size_t begin = 0;  // of the quote or bracket
  std::size_t end = 0;    // after the closing one
  bool is_quoted = false;
  std::string_view name;
};

Named named_in(std::string_view line) {
  std::string_view rest = skip_blanks(line);
  if (!rest.starts_with('#')) return {};
  rest = skip_blanks(rest.substr(1));
  constexpr std::string_view kInclude = "include";
  if (!rest.starts_with(kInclude)) return {};
  rest = skip_blanks(rest.substr(kInclude.size()));
  if (rest.empty() || (rest.front() != '"' && rest.front() != '<')) return {};
  const bool is_quoted = rest.front() == '"';
  const std::size_t close = rest.find(is_quoted ? '"' : '>', 1);
  if (close == std::string_view::npos) return {};
  const auto begin = static_cast<std::size_t>(rest.data() - line.data());
  return {begin, begin + close + 1, is_quoted, rest.substr(1, close - 1)};
}

// The files of a program and their locations for the compiler.
class ProgramFiles {
 public:
  ProgramFiles(const Variant& variant, std::string_view folder) : folder_(folder) {
    for (const File& file : variant.sources) paths_.insert(normal(file.path));
    for (const File& file : variant.headers) paths_.insert(normal(file.path));
  }

  std::string place(std::string_view path) const { return folder_ + normal(path); }

  // Returns the location of the file that `name` refers to in a file of folder `beside`; empty if it is not the
  // program's.
  std::string find(std::string_view name, const std::filesystem::path& beside, bool is_quoted) const {
    const std::string near = normal(beside / name);
    if (is_quoted && paths_.contains(near)) return folder_ + near;
    const std::string rooted = normal(name);
    return paths_.contains(rooted) ? folder_ + rooted : "";
  }

  // Returns the text of `file` with resolved locations in its #include lines. A byte-order mark goes: compilers expect it
  // at the very start, before which plugins put lines of their own.
  std::string text_of(const File& file) const {
    const std::filesystem::path beside = std::filesystem::path(file.path).parent_path();
    std::string text;
    text.reserve(file.content.size());
    for (std::string_view rest = without_byte_order_mark(file.content); !rest.empty();) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      append_line(text, line, beside);
      if (line.size() < rest.size()) text += '\n';
      rest = after(rest, line.size() + 1);
    }
    return text;
  }

 private:
  void append_line(std::string& text, std::string_view line, const std::filesystem::path& beside) const {
    const Named named = named_in(line);
    const std::string found = named.name.empty() ? "" : find(named.name, beside, named.is_quoted);
    if (found.empty()) {
      text += line;
    } else {
      text.append(line.substr(0, named.begin)).append("\"").append(found).append("\"").append(line.substr(named.end));
    }
  }

  std::string folder_;
  std::set<std::string> paths_;
};

}  // namespace

// The first source has no #line, which would keep compilers from precompiling its headers.
SourceUnit make_unit(const Variant& variant, std::string_view folder) {
  const ProgramFiles program(variant, folder);
  SourceUnit unit{program.place(variant.sources.front().path), program.text_of(variant.sources.front())};
  for (std::size_t i = 1; i < variant.sources.size(); ++i) {
    unit.text += "\n#line 1 \"" + program.place(variant.sources[i].path) + "\"\n";
    unit.text += program.text_of(variant.sources[i]);
  }
  for (const std::string& prelude : variant.settings.preludes) {
    const std::string found = program.find(prelude, "", true);
    unit.preludes.push_back(found.empty() ? prelude : found);
  }
  for (const auto* files : {&variant.sources, &variant.headers}) {
    for (const File& file : *files) unit.files.push_back({program.place(file.path), program.text_of(file)});
  }
  return unit;
}

std::string standard_of(const Settings& settings) { return settings.standard.empty() ? "c++20" : settings.standard; }

}  // namespace kmux
