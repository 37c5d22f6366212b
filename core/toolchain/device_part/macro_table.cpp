#include "macro_table.h"

#include <algorithm>

#include "source_tokens.h"

namespace kmux {

void MacroTable::add(std::string_view directive) {
  const DirectiveParts parts = directive_parts(directive);
  if (parts.name != "define") return;
  const std::vector<SourceToken> tokens = tokens_of(parts.rest);
  if (tokens.empty() || !tokens.front().is_word()) return;
  Text& macro = macros_[tokens.front().text];
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    if (tokens[i].is_word()) macro.words.push_back(tokens[i].text);
  }
  macro.is_statement = macro.is_statement || tokens.back().is("}") || tokens.back().is(";");
}

const MacroTable::Text* MacroTable::find(std::string_view name) const {
  const auto found = macros_.find(name);
  return found == macros_.end() ? nullptr : &found->second;
}

bool MacroTable::has_mark(std::string_view word, std::span<const std::string_view> marks, int depth) const {
  constexpr int kMaxDepth = 8;
  if (std::ranges::find(marks, word) != marks.end()) return true;
  const Text* const macro = depth > kMaxDepth ? nullptr : find(word);
  return macro != nullptr &&
         std::ranges::any_of(macro->words, [&](std::string_view inner) { return has_mark(inner, marks, depth + 1); });
}

bool MacroTable::is_statement(void* self, std::string_view name) {
  const Text* const macro = static_cast<const MacroTable*>(self)->find(name);
  return macro != nullptr && macro->is_statement;
}

}  // namespace kmux
