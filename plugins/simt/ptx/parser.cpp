#include "simt/ptx/parser.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <ranges>
#include <unordered_map>
#include <utility>

#include "simt/ptx/lexer.h"

namespace kmux::simt::ptx {
namespace {

constexpr std::size_t kMaxDepth = 32;
constexpr std::size_t kMaxRegisters = 65536;

using Kind = Operand::Kind;

// Returns the number that all of `digits` has in `base`.
template <class Number>
std::optional<Number> number_in(std::string_view digits, int base) {
  Number number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
  const bool is_whole = error == std::errc() && end == digits.data() + digits.size();
  return is_whole ? std::optional(number) : std::nullopt;
}

std::optional<Operand> operand_of(Kind kind, std::optional<std::uint64_t> bits) {
  if (!bits) return std::nullopt;
  Operand operand;
  operand.kind = kind;
  operand.bits = *bits;
  return operand;
}

// Returns a number in decimal with a fraction: a double.
std::optional<Operand> fraction(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return operand_of(Kind::kDouble, __builtin_bit_cast(std::uint64_t, number));
}

/// How an immediate begins, and what follows.
struct Notation {
  std::string_view mark;
  Kind kind = Kind::kInteger;
  int base = 16;
  std::size_t digits = 0;  // 0: any number of them
};
constexpr Notation kNotations[] = {{"0f", Kind::kFloat, 16, 8},   {"0F", Kind::kFloat, 16, 8},
                                   {"0d", Kind::kDouble, 16, 16}, {"0D", Kind::kDouble, 16, 16},
                                   {"0x", Kind::kInteger, 16},    {"0X", Kind::kInteger, 16},
                                   {"0b", Kind::kInteger, 2},     {"0B", Kind::kInteger, 2}};

// Returns the immediate that `text` writes.
std::optional<Operand> immediate(std::string_view text) {
  const auto* const found =
      std::ranges::find_if(kNotations, [&](const Notation& one) { return text.starts_with(one.mark); });
  if (found != std::end(kNotations)) {
    if (found->kind == Kind::kInteger && text.ends_with('U')) text.remove_suffix(1);
    const std::string_view digits = text.substr(found->mark.size());
    if (found->digits != 0 && digits.size() != found->digits) return std::nullopt;
    return operand_of(found->kind, number_in<std::uint64_t>(digits, found->base));
  }
  if (text.ends_with('U')) text.remove_suffix(1);
  if (text.find_first_of(".eE") != std::string_view::npos) return fraction(text);
  const bool is_octal = text.size() > 1 && text.front() == '0';
  return operand_of(Kind::kInteger, number_in<std::uint64_t>(text, is_octal ? 8 : 10));
}

/// The names that braces enclose.
struct Scope {
  std::unordered_map<std::string, unsigned> registers, labels;
  std::vector<std::pair<std::size_t, std::string>> branches;  // statements whose label is not declared yet
};

class Parser {
 public:
  explicit Parser(std::string_view plain) : lexer_(plain) { advance(); }

  Result<Text> parse() {
    scopes_.emplace_back();
    while (token_.kind != Token::Kind::kEnd) KMUX_TRY(parse_statement());
    while (!scopes_.empty()) KMUX_TRY(close_scope());
    return std::move(text_);
  }

 private:
  void advance() { token_ = lexer_.next(); }
  bool take(std::string_view sign) {
    if (!token_.is(sign)) return false;
    advance();
    return true;
  }
  Error expected(std::string_view what) const {
    std::string message =
        "\"" + (token_.kind == Token::Kind::kEnd ? "the end" : std::string(token_.text.substr(0, 60)));
    message.append("\" where PTX has ").append(what);
    if (!text_.statements.empty()) message += ", behind \"" + text_.statements.back().mnemonic.substr(0, 60) + "\"";
    return make_error(ErrorCode::kUnsupported, std::move(message));
  }
  Status require(std::string_view sign) {
    if (take(sign)) return Ok{};
    return expected("\"" + std::string(sign) + "\"");
  }

  Status parse_statement() {
    if (take(";")) return Ok{};
    if (take("{")) return open_scope();
    if (token_.is("}")) {
      if (scopes_.size() == 1) return expected("an open \"{\"");
      advance();
      return close_scope();
    }
    if (take(".")) return parse_declaration();
    return parse_instruction();
  }

  Status open_scope() {
    if (scopes_.size() > kMaxDepth) return make_error(ErrorCode::kUnsupported, "braces nest too deep");
    scopes_.emplace_back();
    return Ok{};
  }

  // Resolves the branches of a scope that ends. Those to labels outside of it belong to the scope around it.
  Status close_scope() {
    Scope ended = std::move(scopes_.back());
    scopes_.pop_back();
    for (auto& [statement, name] : ended.branches) {
      const auto found = ended.labels.find(name);
      if (found == ended.labels.end()) {
        if (scopes_.empty()) return make_error(ErrorCode::kUnsupported, "label \"" + name + "\" is missing");
        scopes_.back().branches.emplace_back(statement, std::move(name));
        continue;
      }
      Operand& target = text_.statements[statement].operands.front();
      target.kind = Kind::kLabel;
      target.index = found->second;
    }
    return Ok{};
  }

  Status parse_declaration() {
    if (!take("reg")) return expected("\".reg\"");
    std::optional<Type> type;
    while (take(".")) {
      type = type_named(token_.text);
      if (!type) return expected("the type of a register");
      advance();
    }
    if (!type) return expected("the type of a register");
    do KMUX_TRY(declare_registers(*type));
    while (take(","));
    return end_statement();
  }

  Status declare_registers(Type type) {
    if (token_.kind != Token::Kind::kWord) return expected("the name of a register");
    const std::string name(token_.text);
    advance();
    if (!take("<")) return declare(name, type);
    const auto count = number_in<std::size_t>(token_.text, 10);
    if (!count || *count > kMaxRegisters) return expected("a number of registers");
    advance();
    for (std::size_t i = 0; i < *count; ++i) KMUX_TRY(declare(name + std::to_string(i), type));
    return require(">");
  }

  Status declare(const std::string& name, Type type) {
    if (text_.registers.size() >= kMaxRegisters)
      return make_error(ErrorCode::kUnsupported, "it has too many registers");
    const bool is_new = scopes_.back().registers.emplace(name, static_cast<unsigned>(text_.registers.size())).second;
    if (!is_new) return make_error(ErrorCode::kUnsupported, "register \"" + name + "\" is declared twice");
    text_.registers.push_back({name, type});
    return Ok{};
  }

  Status end_statement() {
    if (take(";") || token_.kind == Token::Kind::kEnd || token_.is("}") || token_.begins_line) return Ok{};
    return expected("\";\"");
  }

  Status parse_instruction() {
    Statement statement;
    if (take("@")) KMUX_TRY(parse_guard(statement));
    if (token_.kind != Token::Kind::kWord || token_.text.front() == '%') return expected("an instruction");
    statement.mnemonic = lexer_.mnemonic(token_.text);
    advance();
    if (statement.guard.empty() && take(":")) return declare_label(std::move(statement.mnemonic));
    KMUX_TRY(append_parts(statement.mnemonic));
    KMUX_TRY(split(statement));
    text_.statements.push_back(std::move(statement));
    return parse_operands();
  }

  // Appends the parts that spaces separate from the mnemonic: "cp.async.bulk .L2::cache_hint".
  Status append_parts(std::string& mnemonic) {
    while (!token_.begins_line && take(".")) {
      if (token_.kind != Token::Kind::kWord && token_.kind != Token::Kind::kNumber)
        return expected("a part of a mnemonic");
      (mnemonic += '.') += lexer_.mnemonic(token_.text);
      advance();
    }
    return Ok{};
  }

  Status parse_guard(Statement& statement) {
    const bool is_negated = take("!");
    KMUX_ASSIGN(Operand predicate, parse_primary());
    if (predicate.kind != Kind::kRegister) return expected("an instruction behind a declared predicate");
    predicate.is_negated = is_negated;
    statement.guard.push_back(std::move(predicate));
    return Ok{};
  }

  Status declare_label(std::string name) {
    const auto index = static_cast<unsigned>(text_.labels.size());
    if (!scopes_.back().labels.emplace(name, index).second) {
      return make_error(ErrorCode::kUnsupported, "label \"" + name + "\" is declared twice");
    }
    text_.labels.push_back({std::move(name), text_.statements.size()});
    return Ok{};
  }

  static Status split(Statement& statement) {
    std::string_view rest = statement.mnemonic;
    for (bool is_last = false; !is_last;) {
      const std::size_t end = rest.find('.');
      is_last = end == std::string_view::npos;
      statement.parts.emplace_back(rest.substr(0, end));
      if (statement.parts.back().empty()) {
        return make_error(ErrorCode::kUnsupported, "\"" + statement.mnemonic.substr(0, 60) + "\" has an empty part");
      }
      if (!is_last) rest.remove_prefix(end + 1);
    }
    return Ok{};
  }

  bool ends_here() const {
    return token_.kind == Token::Kind::kEnd || token_.is(";") || token_.is("}") ||
           (token_.begins_line && (token_.kind == Token::Kind::kWord || token_.is("@")));
  }

  Status parse_operands() {
    std::vector<Operand> operands;
    while (!ends_here()) {
      if (!operands.empty()) KMUX_TRY(require(","));
      KMUX_ASSIGN(Operand operand, parse_operand());
      operands.push_back(std::move(operand));
      if (!token_.is(",") && token_.begins_line) break;
    }
    Statement& statement = text_.statements.back();
    statement.operands = std::move(operands);
    note_branch(statement);
    return end_statement();
  }

  void note_branch(const Statement& statement) {
    const bool is_branch = statement.parts.front() == "bra" && statement.operands.size() == 1;
    if (!is_branch || statement.operands.front().kind != Kind::kName) return;
    scopes_.back().branches.emplace_back(text_.statements.size() - 1, statement.operands.front().name);
  }

  Result<Operand> parse_operand() {
    if (take("{")) return parse_list(Kind::kVector, "}");
    if (take("[")) return parse_address();
    return parse_single();
  }

  // Parses "a", "!p", "-1" or "p|q".
  Result<Operand> parse_single() {
    const bool is_minus = token_.is("-");
    const bool is_negated = is_minus || token_.is("!");
    if (is_negated) advance();
    KMUX_ASSIGN(Operand first, parse_primary());
    if (is_minus) KMUX_TRY(negate(first));
    first.is_negated = is_negated && !is_minus;
    if (!take("|")) return first;
    KMUX_ASSIGN(Operand second, parse_primary());
    Operand pair;
    pair.kind = Kind::kPair;
    pair.parts.push_back(std::move(first));
    pair.parts.push_back(std::move(second));
    return pair;
  }

  Status negate(Operand& operand) const {
    if (operand.kind == Kind::kInteger) {
      operand.bits = 0 - operand.bits;
    } else if (operand.kind == Kind::kFloat) {
      operand.bits ^= std::uint64_t{1} << 31;
    } else if (operand.kind == Kind::kDouble) {
      operand.bits ^= std::uint64_t{1} << 63;
    } else {
      return expected("a number behind \"-\"");
    }
    return Ok{};
  }

  // Parses "reg + 4", "reg", or the list of an address in a tensor.
  Result<Operand> parse_address() {
    Operand address;
    address.kind = Kind::kAddress;
    do {
      KMUX_ASSIGN(Operand part, token_.is("{") ? parse_operand() : parse_single());
      address.parts.push_back(std::move(part));
    } while (take(","));
    const bool is_minus = token_.is("-");
    if (is_minus || token_.is("+")) {
      advance();
      KMUX_ASSIGN(const Operand offset, parse_single());
      if (offset.kind != Kind::kInteger) return expected("a number of bytes");
      address.bits = is_minus ? 0 - offset.bits : offset.bits;
    }
    KMUX_TRY(require("]"));
    return address;
  }

  Result<Operand> parse_list(Kind kind, std::string_view end) {
    Operand list;
    list.kind = kind;
    do {
      KMUX_ASSIGN(Operand part, parse_single());
      list.parts.push_back(std::move(part));
    } while (take(","));
    KMUX_TRY(require(end));
    return list;
  }

  Result<Operand> parse_primary() {
    const Token token = token_;
    if (token.kind == Token::Kind::kWord) return parse_name();
    if (token.kind == Token::Kind::kArgument) {
      const auto index = number_in<unsigned>(token.text, 10);
      if (!index) return expected("an operand");
      advance();
      Operand operand;
      operand.kind = Kind::kArgument;
      operand.index = *index;
      return operand;
    }
    if (token.kind != Token::Kind::kNumber) return expected("an operand");
    auto number = immediate(token.text);
    if (!number) return expected("a number");
    advance();
    return *std::move(number);
  }

  Result<Operand> parse_name() {
    std::string name(token_.text);
    advance();
    Operand operand;
    if (name == "_") return operand;
    for (const Scope& scope : std::views::reverse(scopes_)) {
      const auto found = scope.registers.find(name);
      if (found == scope.registers.end()) continue;
      operand.kind = Kind::kRegister;
      operand.index = found->second;
      return operand;
    }
    if (name == "WARP_SZ") return *operand_of(Kind::kInteger, 32);
    operand.kind = name.starts_with('%') ? Kind::kSpecial : Kind::kName;
    if (operand.kind == Kind::kSpecial) name.erase(0, 1);
    while (take(".")) {
      name.append(".").append(token_.text);
      advance();
    }
    operand.name = std::move(name);
    return operand;
  }

  Lexer lexer_;
  Token token_;
  Text text_;
  std::vector<Scope> scopes_;
};

}  // namespace

Result<Text> parse(std::string_view text) {
  KMUX_ASSIGN(const std::string plain, plain_text(text));
  return Parser(plain).parse();
}

}  // namespace kmux::simt::ptx
