#include "kmux/plugin/device_part.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <ranges>
#include <set>
#include <span>
#include <utility>

#include "declarations.h"
#include "host_calls.h"
#include "macro_table.h"
#include "source_tokens.h"

namespace kmux {
namespace {

constexpr std::array<std::string_view, 5> kDeviceMarks = {"__global__", "__device__", "__constant__", "__managed__",
                                                          "__shared__"};
constexpr std::array<std::string_view, 1> kHostMark = {"__host__"};
constexpr std::array<std::string_view, 5> kStreams = {"ostream", "istream", "ofstream", "ifstream", "stringstream"};
// Library macros that define host functions.
constexpr std::array<std::string_view, 8> kHostMacros = {
    "PYBIND11_MODULE", "TORCH_LIBRARY", "TORCH_LIBRARY_FRAGMENT", "TORCH_LIBRARY_IMPL", "TEST", "TEST_F",
    "TEST_P",          "BENCHMARK"};
using Tokens = std::span<const SourceToken>;

/// A declaration of a file and its classification.
struct Item {
  std::size_t file = 0;
  Declaration declaration;
  bool is_marked = false;  // for the device
  bool is_host = false;    // host-only, by its marks or its calls
  bool is_kept = false;
  std::vector<Declaration> host_members = {};
};

struct PartFile {
  const File* file;
  std::vector<SourceToken> tokens;
  bool is_readable = true;
};

bool has_word(Tokens tokens, std::string_view word) {
  return std::ranges::any_of(tokens, [&](const SourceToken& token) { return token.is(word); });
}

/// Analyses the files of a variant for the code that the device needs.
class DevicePartReader {
 public:
  DevicePartReader(const Variant& variant, const std::vector<std::string>& names, const HeaderSearch& search)
      : variant_(variant), include_dirs_(search.folders) {
    for (const std::string& flag : search.compile_flags) {
      if (flag.starts_with("-I")) include_dirs_.push_back(flag.substr(2));
    }
    for (const auto* files : {&variant.sources, &variant.headers}) {
      for (const File& file : *files) files_.push_back({&file, tokens_of(file.content)});
    }
    for (const std::string& name : names) name_tokens_.push_back(tokens_of(name));
  }

  DevicePart read() {
    for (const PartFile& file : files_) {
      for (const SourceToken& token : file.tokens) {
        if (token.is_directive()) macros_.add(token.text);
      }
    }
    for (std::size_t i = 0; i < files_.size(); ++i) add_items(i);
    DevicePart part{variant_, false, launch_in_kernel()};
    if (!has_evidence()) return part;
    keep_what_is_needed();
    std::size_t file = 0;
    for (auto* files : {&part.variant.sources, &part.variant.headers}) {
      for (File& one : *files) part.is_cut = cut(file++, one.content) || part.is_cut;
    }
    return part;
  }

 private:
  Tokens tokens_of_item(const Item& item, const Declaration& part) const {
    return Tokens(files_[item.file].tokens).subspan(part.first, part.last - part.first);
  }
  Tokens head_of(const Item& item, const Declaration& part) const {
    const std::size_t end = part.body == 0 ? part.last : part.body;
    return Tokens(files_[item.file].tokens).subspan(part.first, end - part.first);
  }

  bool has_mark(Tokens tokens, std::span<const std::string_view> marks) const {
    return std::ranges::any_of(
        tokens, [&](const SourceToken& token) { return token.is_word() && macros_.has_mark(token.text, marks); });
  }

  bool is_for_host(const Item& item, const Declaration& part) const {
    const Tokens head = head_of(item, part);
    if (has_mark(head, kDeviceMarks)) return false;
    if (has_mark(head, kHostMark)) return true;
    return part.kind == Declaration::Kind::kFunction && !has_word(head, "constexpr") &&
           calls_host(tokens_of_item(item, part));
  }

  void add_items(std::size_t file) {
    auto found = read_declarations(files_[file].tokens, &MacroTable::is_statement, &macros_);
    files_[file].is_readable = found.has_value();
    if (!found) return;
    for (Declaration& declaration : *found) {
      Item item{.file = file, .declaration = std::move(declaration)};
      const bool is_type = item.declaration.kind == Declaration::Kind::kType;
      item.is_marked = !is_type && has_mark(head_of(item, item.declaration), kDeviceMarks);
      item.is_host = !is_type && (is_for_host(item, item.declaration) || instantiates_host_code(item));
      if (is_type && item.declaration.body != 0) add_members(item);
      items_.push_back(std::move(item));
    }
  }

  // Returns true for "template void run<int>(int);" of a template that is host code: the last one of its name before.
  bool instantiates_host_code(const Item& item) const {
    const Tokens tokens = tokens_of_item(item, item.declaration);
    if (tokens.size() < 2 || !tokens[0].is("template") || tokens[1].is("<")) return false;
    for (const Item& one : items_ | std::views::reverse) {
      const std::vector<std::string_view>& names = one.declaration.names;
      const bool is_meant = std::ranges::find_first_of(names, item.declaration.names) != names.end();
      if (is_meant && one.declaration.kind == Declaration::Kind::kFunction && one.declaration.body != 0)
        return one.is_host;
    }
    return false;
  }

  // Finds the host-only members of a type.
  void add_members(Item& item) const {
    const std::vector<SourceToken>& tokens = files_[item.file].tokens;
    const std::size_t begin = item.declaration.body + 1;
    const std::size_t end = end_of_body(item);
    auto members = read_declarations(Tokens(tokens).subspan(begin, end - begin), nullptr, nullptr);
    if (!members) return;
    for (Declaration& member : *members) {
      member.first += begin;
      member.last += begin;
      if (member.body != 0) member.body += begin;
      const bool is_virtual = has_word(head_of(item, member), "virtual");  // removing it would change the type's size
      if (!is_virtual && is_for_host(item, member)) item.host_members.push_back(std::move(member));
    }
  }

  std::size_t end_of_body(const Item& item) const {
    const std::vector<SourceToken>& tokens = files_[item.file].tokens;
    std::size_t end = item.declaration.last;
    while (end > item.declaration.body + 1 && !tokens[end - 1].is("}")) --end;
    return end - 1;
  }

  static bool is_main(const Item& item) {
    const auto& names = item.declaration.names;
    return item.declaration.kind == Declaration::Kind::kFunction && names.size() == 1 && names.front() == "main";
  }

  // Returns true if there is any host code.
  bool has_evidence() const {
    const auto is_of_host = [](const Item& item) {
      return item.is_host || is_main(item) || !item.host_members.empty();
    };
    if (std::ranges::any_of(items_, is_of_host)) return true;
    return std::ranges::any_of(files_, [&](const PartFile& file) {
      return std::ranges::any_of(file.tokens, [&](const SourceToken& token) {
        return token.is_directive() && !host_header_in(token.text).empty();
      });
    });
  }

  // Returns the host header that an #include names, unless the program or a folder provides it.
  std::string_view host_header_in(std::string_view directive) const {
    const DirectiveParts parts = directive_parts(directive);
    if (parts.name != "include" || parts.rest.size() < 3) return {};
    const std::size_t close = parts.rest.find(parts.rest.front() == '<' ? '>' : '"', 1);
    if (close == parts.rest.npos) return {};
    const std::string_view name = parts.rest.substr(1, close - 1);
    return words_of_host_header(name) && !is_provided(name) ? name : std::string_view();
  }

  bool is_provided(std::string_view name) const {
    const auto is_meant = [&](const PartFile& file) {
      return file.file->path == name || file.file->path.ends_with("/" + std::string(name));
    };
    std::error_code error;
    return std::ranges::any_of(files_, is_meant) || std::ranges::any_of(include_dirs_, [&](const std::string& folder) {
             return std::filesystem::exists(std::filesystem::path(folder) / name, error);
           });
  }

  void mention(std::string_view word) {
    if (!mentioned_.insert(word).second) return;
    const MacroTable::Text* const macro = macros_.find(word);
    if (macro == nullptr) return;
    for (const std::string_view inner : macro->words) mention(inner);
  }

  void mention(Tokens tokens) {
    for (const SourceToken& token : tokens) {
      if (token.is_word()) mention(token.text);
    }
  }

  void keep(Item& item) {
    item.is_kept = true;
    std::size_t at = item.declaration.first;
    const Tokens all = files_[item.file].tokens;
    for (const Declaration& member : item.host_members) {
      mention(all.subspan(at, member.first - at));
      at = member.last;
    }
    mention(all.subspan(at, item.declaration.last - at));
  }

  bool is_needed(const Item& item) const {
    const Declaration& declaration = item.declaration;
    if (item.is_host) return false;
    if (item.is_marked) return true;
    if (declaration.is_operator) {
      const Tokens head = head_of(item, declaration);
      return std::ranges::none_of(head, [](const SourceToken& token) { return is_one_of(kStreams, token.text); });
    }
    if (declaration.names.empty() || is_of_unknown_macro(item)) return true;
    return std::ranges::any_of(declaration.names, [&](std::string_view name) { return mentioned_.contains(name); });
  }

  // Returns true for "NAME(arguments)" of a macro that a machine's header may define: possibly a kernel.
  bool is_of_unknown_macro(const Item& item) const {
    const Tokens tokens = tokens_of_item(item, item.declaration);
    const bool is_call = tokens.size() > 2 && tokens[0].is_word() && tokens[1].is("(");
    return is_call && !include_dirs_.empty() && macros_.find(tokens[0].text) == nullptr &&
           !is_one_of(kHostMacros, tokens[0].text);
  }

  // Keeps kernels and all marked code, and transitively all declarations that they mention.
  void keep_what_is_needed() {
    for (const auto& tokens : name_tokens_) mention(tokens);
    for (const PartFile& file : files_) {
      if (!file.is_readable) mention(file.tokens);
    }
    bool is_complete = false;
    while (!is_complete) {
      is_complete = true;
      for (Item& item : items_) {
        if (item.is_kept || is_of_scope(item) || !is_needed(item)) continue;
        keep(item);
        is_complete = false;
      }
    }
    for (Item& item : items_) {
      if (!item.is_kept && is_of_scope(item)) item.is_kept = mentions_kept_alone(item);
    }
  }

  static bool is_of_scope(const Item& item) {
    return item.declaration.kind == Declaration::Kind::kAssertion ||
           item.declaration.kind == Declaration::Kind::kDirectiveOfScope;
  }

  // "using namespace X;" and assertions stay if all names that they mention stay.
  bool mentions_kept_alone(const Item& item) const {
    for (const SourceToken& token : tokens_of_item(item, item.declaration)) {
      if (token.is_word() && (is_gone(token.text) || is_of_library(token.text))) return false;
    }
    return true;
  }
  bool is_gone(std::string_view name) const {
    const auto declares = [&](const Item& item) {
      return !item.is_kept && !is_of_scope(item) &&
             std::ranges::find(item.declaration.names, name) != item.declaration.names.end();
    };
    const auto stays = [&](const Item& item) {
      return item.is_kept && std::ranges::find(item.declaration.names, name) != item.declaration.names.end();
    };
    return std::ranges::any_of(items_, declares) && std::ranges::none_of(items_, stays);
  }
  // Returns true for a namespace of a removed header.
  bool is_of_library(std::string_view name) const {
    constexpr std::array<std::string_view, 9> kNamespaces = {"chrono", "filesystem", "literals",    "at",    "c10",
                                                             "torch",  "cv",         "this_thread", "thrust"};
    return is_one_of(kNamespaces, name) && !mentioned_.contains(name);
  }

  std::string launch_in_kernel() const {
    for (const Item& item : items_) {
      if (!item.is_marked || item.declaration.kind != Declaration::Kind::kFunction) continue;
      for (const SourceToken& token : tokens_of_item(item, item.declaration)) {
        if (!token.is("<<<")) continue;
        const std::string& text = files_[item.file].file->content;
        const auto end = text.begin() + (token.text.data() - text.data());
        const auto line = 1 + std::count(text.begin(), end, '\n');
        return files_[item.file].file->path + ":" + std::to_string(line);
      }
    }
    return "";
  }

  // Replaces unneeded code of file number `file` by blanks. Returns true if more than includes was removed.
  bool cut(std::size_t file, std::string& text) const {
    const std::string before = text;
    for (const Item& item : items_) {
      if (item.file != file) continue;
      if (!item.is_kept) blank(item, item.declaration, text);
      for (const Declaration& member : item.host_members) {
        if (item.is_kept) blank(item, member, text);
      }
    }
    const bool is_cut = text != before;
    // Backwards, since the replacement of a directive may be longer.
    for (const SourceToken& token : files_[file].tokens | std::views::reverse) {
      if (token.is_directive() && is_left_out(token.text)) replace_include(file, token.text, text);
    }
    return is_cut;
  }

  // Replaces a host library's header by the header that it includes and the device needs, if any.
  void replace_include(std::size_t file, std::string_view directive, std::string& text) const {
    blank_text(file, directive, text);
    const std::string_view kept = header_within(host_header_in(directive), mentioned_);
    if (kept.empty()) return;
    const auto begin = static_cast<std::size_t>(directive.data() - files_[file].file->content.data());
    text.replace(begin, directive.size(), "#include <" + std::string(kept) + ">");
  }

  bool is_left_out(std::string_view directive) const {
    const std::string_view header = host_header_in(directive);
    if (header.empty()) return false;
    const auto needs = [&](const auto& word) {
      return mentioned_.contains(std::string_view(word.begin(), word.end()));
    };
    return std::ranges::none_of(*words_of_host_header(header) | std::views::split(' '), needs);
  }

  // Blanks all but directives, which may affect the code that follows.
  void blank(const Item& item, const Declaration& part, std::string& text) const {
    const Tokens all = tokens_of_item(item, part);
    const char* at = all.front().text.data();
    for (const SourceToken& token : all) {
      if (!token.is_directive()) continue;
      blank_text(item.file, {at, static_cast<std::size_t>(token.text.data() - at)}, text);
      at = token.text.data() + token.text.size();
    }
    const char* const end = all.back().text.data() + all.back().text.size();
    if (end > at) blank_text(item.file, {at, static_cast<std::size_t>(end - at)}, text);
  }

  void blank_text(std::size_t file, std::string_view part, std::string& text) const {
    const auto begin = static_cast<std::size_t>(part.data() - files_[file].file->content.data());
    for (std::size_t i = begin; i < begin + part.size(); ++i) {
      if (text[i] != '\n') text[i] = ' ';
    }
  }

  const Variant& variant_;
  std::vector<std::string> include_dirs_;
  std::vector<std::vector<SourceToken>> name_tokens_;
  std::vector<PartFile> files_;
  MacroTable macros_;
  std::vector<Item> items_;
  std::set<std::string_view> mentioned_;
};

}  // namespace

DevicePart device_part(const Variant& variant, const std::vector<std::string>& names, const HeaderSearch& search) {
  return DevicePartReader(variant, names, search).read();
}

std::vector<std::string> device_names(const std::vector<std::string>& kernels, const std::vector<Constant>& constants,
                                      const Settings& settings, const std::vector<std::string>& flags) {
  std::vector<std::string> names = kernels;
  for (const Constant& constant : constants) names.push_back(constant.name);
  for (const auto* list : {&settings.defines, &flags}) {
    for (const std::string& flag : *list) {
      if (const std::size_t value = flag.find('='); value != flag.npos) names.push_back(flag.substr(value + 1));
    }
  }
  return names;
}

}  // namespace kmux
