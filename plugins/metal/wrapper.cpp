#include "wrapper.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "kmux/plugin/characters.h"
#include "kmux/plugin/include_scan.h"
#include "kmux/plugin/plan.h"

#include "bindings.h"
#include "options.h"

namespace kmux::metal {

Result<std::string> MetalWrapper::wrap(const BuildRequest& request) {
  KMUX_ASSIGN(const BuildOptions options, parse_options(request.options, host_));
  KMUX_ASSIGN(const Plan plan, lower(request.program, request.variant));
  KMUX_ASSIGN(const auto bindings, bindings_of(plan));
  std::string text = to_string(plan) + to_string(bindings, plan);
  for (const std::string& constant : options.function_constants) text += "  constant " + constant + "\n";
  return text;
}

namespace {

constexpr std::string_view kOnce = "#pragma once";
constexpr int kDeepest = 64;  // the deepest nesting of includes; more means that files include each other

std::string normal(const std::filesystem::path& path) { return path.lexically_normal().string(); }

std::string line_mark(std::size_t line, const std::string& path) {
  return "#line " + std::to_string(line) + " \"" + path + "\"\n";
}

std::string_view skip_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

// Returns "ifdef" for "  # ifdef X"; empty for a line that is not a directive.
std::string_view directive(std::string_view line) {
  line = skip_blanks(line);
  if (!line.starts_with('#')) return {};
  line = skip_blanks(line.substr(1));
  return line.substr(0, line.find_first_not_of("abcdefghijklmnopqrstuvwxyz"));
}

// Returns the name in `#include "name"` or `#include <name>`; nothing for other lines.
std::optional<std::string_view> included(std::string_view line) {
  if (directive(line) != "include") return std::nullopt;
  std::string_view rest = skip_blanks(line.substr(line.find("include") + std::string_view("include").size()));
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
    for (std::string_view rest = without_byte_order_mark(file.content); !rest.empty(); ++number) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(line.size() + 1, rest.size()));
      append_line(line, folder, file.path, number, depth);
    }
  }

  void append_prelude(const std::string& prelude) {
    const File* const own = find(prelude, "");
    if (own != nullptr) {
      append_included(*own, 0);
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
      enter_conditions(directive(line));
      const bool marks_once = skip_blanks(line).starts_with(kOnce);
      if (!marks_once) text_ += line;
      text_ += '\n';
    } else {
      append_included(*file, depth + 1);
      text_ += line_mark(number + 1, path);
    }
  }

  // Tracks branches of #if: one branch may be skipped while another branch includes the same file.
  void enter_conditions(std::string_view word) {
    if (word.starts_with("if")) branches_.emplace_back();
    if (word.starts_with("el")) branches_.back().clear();
    if (word == "endif" && branches_.size() > 1) branches_.pop_back();
  }

  // Inserts a "#pragma once" file once in a branch and its nested branches. If several branches have it, a common guard
  // protects each copy.
  void append_included(const File& file, int depth) {
    if (file.content.find(kOnce) == std::string::npos) return append(file, depth);
    const auto has = [&](const Files& branch) { return branch.contains(&file); };
    if (std::ranges::any_of(branches_, has)) return;
    branches_.back().insert(&file);
    if (branches_.size() == 1 && !guards_.contains(&file)) return append(file, depth);
    const std::string guard = "KMUX_ONCE_" + std::to_string(guards_.emplace(&file, guards_.size()).first->second);
    text_ += "#ifndef " + guard + "\n#define " + guard + "\n";
    append(file, depth);
    text_ += "#endif\n";
  }

  using Files = std::set<const File*>;
  std::map<std::string, const File*> files_;
  std::vector<Files> branches_ = {{}};  // the "#pragma once" files of each enclosing #if
  std::map<const File*, std::size_t> guards_;
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
