#include "reader.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "kmux/json.h"
#include "kmux/plugin/quoting.h"
#include "kmux/plugin/word_list.h"

#include "base/json_text.h"
#include "ir/json_reader.h"
#include "ir/validate/validation.h"

namespace kmux {
namespace {

constexpr int kMaxNesting = 2 * kMaxExprDepth;  // parentheses included
constexpr std::size_t kMaxQuoted = 100;  // bytes of quoted text in a message

/// Returns the quoted text, cut if long. A byte that is not visible takes four characters.
std::string quoted(std::string_view text) {
  std::string shown = in_double_quotes(text);
  if (text.size() <= kMaxQuoted && shown.size() <= 2 * kMaxQuoted) return shown;
  for (std::size_t size = kMaxQuoted; size > 0; size /= 2) {
    shown = in_double_quotes(text.substr(0, size_to_cut(text, size)));
    if (shown.size() <= 2 * kMaxQuoted) break;
  }
  return shown + "...";
}

std::vector<std::string> dtype_words() {
  return {"bool", "pointer", "i8",  "i16", "i32",  "i64",   "u8",          "u16",           "u32",        "u64",
          "f16",  "bf16",    "f32", "f64", "int4", "uint4", "float8_e4m3", "float8_e4m3fn", "float8_e5m2"};
}

std::vector<std::string> function_words() {
  return {"floordiv", "floormod", "truncdiv", "truncmod", "ceildiv", "min", "max", "select"};
}

// Returns the prefix of the short name of a dtype; empty if this form uses its JSON name.
std::string_view short_prefix(DType type) {
  const bool is_wide = type.bits == 16 || type.bits == 32 || type.bits == 64;
  if (type.code == kDLInt && (is_wide || type.bits == 8)) return "i";
  if (type.code == kDLUInt && (is_wide || type.bits == 8)) return "u";
  if (type.code == kDLFloat && is_wide) return "f";
  if (type.code == kDLBfloat && type.bits == 16) return "bf";
  return "";
}

}  // namespace

std::string text_name(DType type) {
  const std::string_view prefix = short_prefix(type);
  if (prefix.empty()) return to_string(type);
  const std::string name = std::string(prefix) + std::to_string(type.bits);
  return type.lanes == 1 ? name : name + "x" + std::to_string(type.lanes);
}

TextReader::TextReader(std::string_view text, Lexed lexed)
    : text_(text),
      tokens_(std::move(lexed.tokens)),
      problems_(std::move(lexed.problems)),
      is_broken_(!problems_.empty()) {}

const Token& TextReader::peek(std::size_t ahead) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }

bool TextReader::is(std::string_view word, std::size_t ahead) const {
  const Token& token = peek(ahead);
  return token.kind != TokenKind::kString && token.kind != TokenKind::kKernel && text_of(token) == word;
}

bool TextReader::take(TokenKind kind) {
  if (!is(kind)) return false;
  if (kind != TokenKind::kEnd) ++at_;
  return true;
}

bool TextReader::take(std::string_view word) {
  if (!is(word)) return false;
  ++at_;
  return true;
}

bool TextReader::expect(std::string_view word, std::string_view what) {
  if (take(word)) return true;
  expected("'" + std::string(word) + "'" + (what.empty() ? "" : " " + std::string(what)));
  return false;
}

void TextReader::end_line() {
  if (!failed_ && !is(TokenKind::kNewline) && !is(TokenKind::kEnd)) expected("the end of the line");
  take(TokenKind::kNewline);
  failed_ = false;
}

void TextReader::skip_block() {
  if (!take(TokenKind::kIndent)) return;
  for (int depth = 1; depth > 0 && !is(TokenKind::kEnd); ++at_) {
    if (is(TokenKind::kIndent)) ++depth;
    if (is(TokenKind::kDedent)) --depth;
  }
}

void TextReader::problem(const Token& at, std::string message) {
  if (!failed_ && problems_.size() < 2 * kMaxProblems) problems_.push_back({at.begin, at.end, std::move(message)});
}

void TextReader::fail(const Token& at, std::string message) {
  problem(at, std::move(message));
  failed_ = true;
  is_broken_ = true;
  while (!is(TokenKind::kNewline) && !is(TokenKind::kEnd)) ++at_;
}

void TextReader::expected(std::string_view what, const std::vector<std::string>& known) {
  const Token& token = peek();
  if (problems_.size() >= 2 * kMaxProblems) return fail("");  // not kept: searching for a suggestion is slow
  const bool is_word = token.kind == TokenKind::kName || token.kind == TokenKind::kWord;
  const bool ends = token.kind == TokenKind::kNewline || token.kind == TokenKind::kEnd;
  const std::string found = ends ? "the line ends" : "found " + quoted(text_of(token));
  const std::string meant = is_word && !known.empty() ? suggestion(text_of(token), known) : "";
  fail("expected " + std::string(what) + " (" + found + ")." + (meant.empty() ? "" : meant));
}

void TextReader::mark(const JsonPointer& pointer, const Token& first, bool is_line) {
  const std::size_t end = at_ > 0 ? tokens_[at_ - 1].end : 0;
  places_.push_back({pointer.text(), first.begin, std::max(end, first.end), is_line});
}

std::string TextReader::name(std::string_view what) {
  if (!is(TokenKind::kName)) return expected(what), "";
  return std::string(text_of(tokens_[at_++]));
}

std::string TextReader::string(std::string_view what) {
  if (!is(TokenKind::kString)) return expected(std::string(what) + " in double quotes"), "";
  const Token& token = tokens_[at_++];
  const Result<Json> value = read_json(text_of(token));
  if (value && value->as_string() != nullptr) return *value->as_string();
  const bool is_closed = token.end - token.begin > 1 && text_[token.end - 1] == '"';
  if (is_closed)
    fail(token, R"(this is not text (it has UTF-8, and \", \\, \n, \t, \u00e4 and such behind backslashes).)");
  return "";
}

std::int64_t TextReader::integer(std::string_view what) {
  const std::size_t sign = is("-") ? 1 : 0;
  if (!is(TokenKind::kInteger, sign)) return expected(what), 0;
  const std::string digits = (sign == 1 ? "-" : "") + std::string(text_of(peek(sign)));
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc()) return fail(peek(sign), "the number does not fit 64 bits."), 0;
  at_ += 1 + sign;
  return value;
}

double TextReader::number(std::string_view what) {
  const std::size_t sign = is("-") ? 1 : 0;
  if (!is(TokenKind::kInteger, sign) && !is(TokenKind::kNumber, sign)) return expected(what), 0;
  const std::string digits = (sign == 1 ? "-" : "") + std::string(text_of(peek(sign)));
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc()) return fail(peek(sign), "the number is too large or too small for 64 bits."), 0;
  at_ += 1 + sign;
  return value;
}

DType TextReader::dtype(std::string_view what) {
  if (!is(TokenKind::kName)) return expected(what, dtype_words()), DType{};
  const Token& token = peek();
  const Result<DType> type = parse_dtype(text_of(token));
  if (!type) {
    fail("unknown dtype " + in_double_quotes(text_of(token)) + "." + suggestion(text_of(token), dtype_words()) +
         " Use bool, i8 ... i64, u8 ... u64, f16, bf16, f32, f64, or one such as float8_e4m3fn or f16x4.");
    return {};
  }
  ++at_;
  return *type;
}

std::size_t TextReader::word(const std::vector<std::string>& words) {
  const auto found = std::ranges::find(words, text_of(peek()));
  if (found == words.end()) return expected("one of " + join(words), words), 0;
  ++at_;
  return static_cast<std::size_t>(found - words.begin());
}

template <class Read>
auto TextReader::in_brackets(const Read& read) {
  std::vector<decltype(read())> list;
  if (!expect("[", "")) return list;
  if (take("]")) return list;
  do {
    list.push_back(read());
  } while (take(","));
  expect("]", "or ','");
  return list;
}

std::vector<Expr> TextReader::exprs() {
  return in_brackets([this] { return expr(); });
}

Extents TextReader::extents() {
  if (is("[")) return exprs();
  return {expr()};
}

std::vector<std::int64_t> TextReader::integers() {
  return in_brackets([this] { return integer("an integer"); });
}

MemoryRef TextReader::memory(const JsonPointer& at) {
  const Token first = peek();
  MemoryRef memory{name("a buffer, a pointer or a workspace")};
  mark(at, first);
  if (take("offset")) memory.offset_bytes = offset(at);
  return memory;
}

Expr TextReader::offset(const JsonPointer& at) {
  const Token first = peek();
  Expr offset = expr();
  mark(at / "offset_bytes", first);
  return offset;
}

Expr TextReader::bytes(const JsonPointer& at) {
  expect(":", "and a number of bytes");
  const Token first = peek();
  Expr bytes = expr();
  mark(at, first);
  expect("bytes", "");
  return bytes;
}

void TextReader::attributes(const JsonPointer& at, const std::vector<std::string>& known,
                            const std::function<bool(const std::string& word)>& read) {
  std::set<std::string> seen;
  while (!failed() && is(TokenKind::kName)) {
    const Token first = peek();
    const std::string word(text_of(first));
    ++at_;
    const bool repeats = word == "l2_window";
    if (!seen.insert(word).second && !repeats) fail(first, in_double_quotes(word) + " stands here twice. Remove one.");
    if (!failed() && !read(word)) {
      fail(first,
           "there is no " + in_double_quotes(word) + " here." + suggestion(word, known) + " Use " + join(known) + ".");
    }
    if (!repeats) mark(at / word, first);
  }
}

Expr TextReader::expr() {
  nesting_ = 0;
  return deep_expr(1).expr;
}

std::optional<InfixOp> TextReader::infix(int level) const {
  if (!is(TokenKind::kMark) && !is(TokenKind::kName)) return std::nullopt;
  const std::string_view text = text_of(peek());
  const auto found = std::ranges::find_if(kInfixOps, [&](const InfixOp& op) { return to_string(op.op) == text; });
  return found == kInfixOps.end() || found->level < level ? std::nullopt : std::optional(*found);
}

TextReader::Deep TextReader::made(const Token& at, ExprOp op, std::vector<Deep> operands, DType type) {
  Deep result;
  std::vector<Expr> exprs;
  for (Deep& operand : operands) {
    result.depth = std::max(result.depth, operand.depth + 1);
    exprs.push_back(std::move(operand.expr));
  }
  if (result.depth > kMaxExprDepth) {
    fail(at, "the expression is nested deeper than " + std::to_string(kMaxExprDepth) + " levels. Use lets.");
    return {};
  }
  result.expr = op == ExprOp::kCast ? Expr::cast(type, std::move(exprs[0])) : Expr::make(op, std::move(exprs));
  return result;
}

// Parses operators of `level` and above by precedence climbing.
TextReader::Deep TextReader::deep_expr(int level) {
  if (++nesting_ > kMaxNesting) return fail("the parentheses are nested too deeply. Use lets."), Deep{};
  Deep left = operand();
  while (const std::optional<InfixOp> op = infix(level)) {
    const Token token = tokens_[at_++];
    Deep right = deep_expr(op->level + 1);
    std::vector<Deep> operands{std::move(left), std::move(right)};
    left = made(token, op->op, std::move(operands));
    const std::optional<InfixOp> next = infix(kComparisonLevel);
    if (op->level == kComparisonLevel && next && next->level == kComparisonLevel) {
      fail("comparisons cannot be chained. Write \"a < b and b < c\", or parentheses.");
    }
  }
  --nesting_;
  if (is("/") || is("%")) {
    fail(in_double_quotes(text_of(peek())) + " is not an operator here (it rounds in several ways). Write " +
         (is("/") ? "ceildiv(a, b) or floordiv(a, b)." : "floormod(a, b)."));
  }
  return left;
}

TextReader::Deep TextReader::operand() {
  const Token token = peek();
  if (take("not")) {
    std::vector<Deep> operands;
    operands.push_back(deep_expr(kNotLevel));
    return made(token, ExprOp::kNot, std::move(operands));
  }
  if (is("-")) return negated();
  if (is(TokenKind::kInteger)) return {integer("an integer")};
  if (take("(")) {
    Deep inner = deep_expr(1);
    expect(")", "");
    return inner;
  }
  if (!is(TokenKind::kName)) return expected("an expression"), Deep{};
  ++at_;
  if (is("(")) return call(token);
  const std::string name(text_of(token));
  if (symbols_ == nullptr) return {Expr::symbol(name)};
  const bool is_typed = take(":");
  symbols_->push_back(
      {name, is_typed ? std::optional(dtype("the type of a symbol: i32 or i64")) : std::nullopt, token});
  return {Expr::symbol(name)};
}

// Parses -5, and -n as 0 - n.
TextReader::Deep TextReader::negated() {
  if (is(TokenKind::kInteger, 1)) return {integer("an integer")};
  const Token token = tokens_[at_++];
  if (++nesting_ > kMaxNesting) return fail("the signs are nested too deeply. Use lets."), Deep{};
  std::vector<Deep> operands;
  operands.push_back({0});
  operands.push_back(operand());
  --nesting_;
  return made(token, ExprOp::kSub, std::move(operands));
}

TextReader::Deep TextReader::call(const Token& function) {
  const std::string_view name = text_of(function);
  const std::vector<std::string> known = function_words();
  const bool is_function = std::ranges::find(known, name) != known.end();
  const Result<DType> type = parse_dtype(name);
  if (!is_function && !type) {
    fail(function, "there is no function " + in_double_quotes(name) + "." + suggestion(name, known) + " Use " +
                       join(known) + ", or a dtype to cast.");
    return {};
  }
  const ExprOp op = is_function ? *parse_expr_op(name) : ExprOp::kCast;
  const auto count = static_cast<std::size_t>(arity(op));
  std::vector<Deep> operands;
  take("(");
  do {
    operands.push_back(deep_expr(1));
  } while (operands.size() < count && expect(",", "and another operand"));
  if (operands.size() == count && !failed() && !is(")")) {
    fail(std::string(name) + " takes " + std::to_string(count) + (count == 1 ? " operand" : " operands") +
         ", and ')' behind them (found " + in_double_quotes(text_of(peek())) + ").");
  }
  take(")");
  if (failed()) return {};
  return made(function, op, std::move(operands), type.value_or(DType{}));
}

}  // namespace kmux
