// SPDX-License-Identifier: Apache-2.0
#include "simt/frontend/host_functions.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "clang/Basic/LangOptions.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"

namespace kmux::simt {
namespace {

constexpr int kMaxHostAttempts = 8;  // each compiles the source again, without all bodies that Clang names

/// Finds the bodies of functions in a text, from its begin to its end.
class BodyScan {
 public:
  BodyScan(std::string_view text, std::size_t at)
      : text_(text), at_(at), lexer_({}, language(), text.data(), text.data(), text.data() + text.size()) {}

  FunctionBody run() {
    clang::Token token;
    for (lexer_.LexFromRawLexer(token); token.isNot(clang::tok::eof); lexer_.LexFromRawLexer(token)) {
      is_directive_ = token.isAtStartOfLine() ? token.is(clang::tok::hash) : is_directive_;
      if (!is_directive_ && take(token)) return found_;
      if (!is_directive_) before_ = token.getKind();
    }
    return {};
  }

 private:
  static const clang::LangOptions& language() {
    static const clang::LangOptions options = [] {
      clang::LangOptions made;
      made.CPlusPlus = made.CPlusPlus11 = made.CPlusPlus17 = true;
      return made;
    }();
    return options;
  }

  std::size_t offset_of(const clang::Token& token) const { return token.getLocation().getRawEncoding(); }

  // Returns true at the end of a body around the index.
  bool take(const clang::Token& token) {
    if (depth_ > 0) return take_nested(token);
    switch (token.getKind()) {
      case clang::tok::l_paren:
        has_parameters_ |= parentheses_++ == 0 && !has_value_;
        break;
      case clang::tok::r_paren:
        parentheses_ = std::max(parentheses_ - 1, 0);
        break;
      case clang::tok::l_brace:
        open(token);
        break;
      case clang::tok::r_brace:
      case clang::tok::semi:
        if (parentheses_ == 0) begin_declaration();
        break;
      default:
        if (parentheses_ == 0) take_word(token);
    }
    return false;
  }

  bool take_nested(const clang::Token& token) {
    if (token.is(clang::tok::l_brace)) ++depth_;
    if (token.isNot(clang::tok::r_brace) || --depth_ > 0) return false;
    const std::size_t end = offset_of(token) + 1;
    if (!is_body_) return false;
    const FunctionBody body = {first_, end, is_for_device_};
    begin_declaration();
    found_ = body;
    return body.begin <= at_ && at_ < body.end;
  }

  void take_word(const clang::Token& token) {
    const bool is_name = std::exchange(is_operator_, false);  // as < in operator<
    if (token.is(clang::tok::raw_identifier)) return take_identifier(token.getRawIdentifier());
    if (is_name) return;
    if (token.is(clang::tok::equal)) has_value_ |= !has_parameters_ && angles_ == 0;
    if (token.is(clang::tok::less)) ++angles_;
    if (token.is(clang::tok::greater)) angles_ -= 1;
    if (token.is(clang::tok::greatergreater)) angles_ -= 2;
    if (token.isNot(clang::tok::colon)) return;
    if (has_parameters_ && !initialisers_) initialisers_ = offset_of(token);
    if (!has_parameters_ && !is_type_) begin_declaration();  // of a member, after public: or the like
  }

  void take_identifier(llvm::StringRef word) {
    is_operator_ = word == "operator";
    is_type_ |= angles_ == 0 && llvm::is_contained({"class", "enum", "namespace", "struct", "union"}, word);
    for (const char* const sign : {"device", "kernel", "global"}) is_for_device_ |= word.contains_insensitive(sign);
  }

  // A brace after parameters begins a body, or the value of an initialiser, which follows its name.
  void open(const clang::Token& token) {
    const bool is_value = initialisers_ && (before_ == clang::tok::raw_identifier || before_ == clang::tok::greater);
    if (is_type_ || (!has_parameters_ && parentheses_ == 0 && !has_value_)) return begin_declaration();  // inside
    is_body_ = has_parameters_ && parentheses_ == 0 && !is_value && !has_value_;
    first_ = initialisers_.value_or(offset_of(token));
    depth_ = 1;
  }

  void begin_declaration() {
    parentheses_ = 0;
    angles_ = 0;
    has_parameters_ = has_value_ = is_for_device_ = is_body_ = is_type_ = is_operator_ = false;
    initialisers_.reset();
  }

  const std::string_view text_;
  const std::size_t at_;
  clang::Lexer lexer_;
  FunctionBody found_;
  clang::tok::TokenKind before_ = clang::tok::unknown;
  std::optional<std::size_t> initialisers_;  // the colon before them
  std::size_t first_ = 0;
  int parentheses_ = 0, angles_ = 0, depth_ = 0;
  bool is_directive_ = false, is_operator_ = false, is_type_ = false;
  bool has_parameters_ = false, has_value_ = false, is_for_device_ = false, is_body_ = false;
};

}  // namespace

FunctionBody body_around(std::string_view text, std::size_t at) { return BodyScan(text, at).run(); }

bool HostFunctions::leave_out(std::string_view path, std::size_t line, std::size_t column,
                              llvm::vfs::FileSystem& files) {
  std::string* const text = texts_.find(path, files);
  if (text == nullptr) return false;
  const std::size_t at = index_of(*text, line, column);
  const FunctionBody body = body_around(*text, at);
  if (body.begin == body.end) return at < text->size() && (*text)[at] == ' ';  // left out with an error before
  if (body.is_for_device) return false;
  // Lines and columns stay.
  std::replace_if(text->begin() + body.begin, text->begin() + body.end, [](char c) { return c != '\n'; }, ' ');
  (*text)[body.begin] = ';';
  warnings_ += std::string(path) + ":" + std::to_string(line) + ":" + std::to_string(column) +
               ": warning: a function for the host does not compile here. Its body is left out.\n";
  return true;
}

bool HostFunctions::leave_out(std::string_view log, std::string_view source, llvm::vfs::FileSystem& files) {
  if (++attempts_ > kMaxHostAttempts) return false;
  const auto places = error_places(log, ": error: ");
  return !places.empty() && std::ranges::all_of(places, [&](const ErrorPlace& place) {
    const auto& [path, line, column] = place;
    return path != source && leave_out(path, line, column, files);
  });
}

}  // namespace kmux::simt
