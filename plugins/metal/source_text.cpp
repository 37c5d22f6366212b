#include "source_text.h"

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "kmux/include_scan.h"

namespace kmux::metal {
namespace {

constexpr int kDeepest = 64;  // files within files: more of them include each other without end

std::string normal(const std::filesystem::path& path) { return path.lexically_normal().string(); }

std::string line_mark(std::size_t line, const std::string& path) {
  return "#line " + std::to_string(line) + " \"" + path + "\"\n";
}

std::string_view skip_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

// What `#include "name"` or `#include <name>` names.
std::optional<std::string_view> included(std::string_view line) {
  std::string_view rest = skip_blanks(line);
  for (const std::string_view word : {"#", "include"}) {
    if (!rest.starts_with(word)) return std::nullopt;
    rest = skip_blanks(rest.substr(word.size()));
  }
  if (rest.empty() || (rest.front() != '"' && rest.front() != '<')) return std::nullopt;
  const std::size_t end = rest.find(rest.front() == '"' ? '"' : '>', 1);
  if (end == std::string_view::npos) return std::nullopt;
  return rest.substr(1, end - 1);
}

class Expansion {
 public:
  explicit Expansion(const Variant& variant) {
    for (const auto* files : {&variant.sources, &variant.headers}) {
      for (const File& file : *files) files_[normal(file.path)] = &file;
    }
  }

  void append(const File& file, int depth) {
    text_ += line_mark(1, file.path);
    const std::filesystem::path folder = std::filesystem::path(file.path).parent_path();
    std::size_t number = 1;
    for (std::string_view rest = file.content; !rest.empty(); ++number) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(line.size() + 1, rest.size()));
      append_line(line, folder, file.path, number, depth);
    }
  }

  void append_prelude(const std::string& prelude) {
    const File* const own = find(prelude, "");
    if (own != nullptr) {
      append(*own, 0);
    } else {
      text_ += "#include <" + prelude + ">\n";
    }
  }

  void append_text(std::string_view text) { text_ += text; }
  std::string take() { return std::move(text_); }

 private:
  const File* find(std::string_view name, const std::filesystem::path& folder) const {
    for (const std::string& path : {normal(folder / name), normal(name)}) {
      if (const auto found = files_.find(path); found != files_.end()) return found->second;
    }
    return nullptr;
  }

  void append_line(std::string_view line, const std::filesystem::path& folder, const std::string& path,
                   std::size_t number, int depth) {
    const auto name = included(line);
    const File* const file = name && depth < kDeepest ? find(*name, folder) : nullptr;
    if (file == nullptr) {
      const bool marks_once = skip_blanks(line).starts_with("#pragma once");
      if (!marks_once) text_ += line;
      text_ += '\n';
    } else {
      if (!is_done(*file)) append(*file, depth + 1);
      text_ += line_mark(number + 1, path);
    }
  }

  // A file that is to be read once, and was.
  bool is_done(const File& file) {
    if (file.content.find("#pragma once") == std::string::npos) return false;
    return !done_.insert(&file).second;
  }

  std::map<std::string, const File*> files_;
  std::set<const File*> done_;
  std::string text_;
};

}  // namespace

std::string source_text(const Variant& variant) {
  Expansion expansion(variant);
  for (const std::string& define : variant.settings.defines) expansion.append_text(define_line(define));
  for (const std::string& prelude : variant.settings.preludes) expansion.append_prelude(prelude);
  for (const File& source : variant.sources) expansion.append(source, 0);
  return expansion.take();
}

}  // namespace kmux::metal
