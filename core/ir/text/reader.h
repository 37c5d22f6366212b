#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kmux/dispatch.h"
#include "kmux/text.h"

#include "ir/validate/scope.h"

// What the parts of the parser share: tokens, a place in them, and what is read everywhere. A part reads one noun of a program.
namespace kmux {

enum class TokenKind : std::uint8_t {
  kName,  // a letter or underscore first
  kWord,  // a digit first: 128b
  kInteger,
  kNumber,  // with a point or an exponent
  kString,  // between double quotes
  kKernel,  // behind "launch": kern<float, 4>
  kMark,  // operators and brackets
  kNewline,
  kIndent,
  kDedent,
  kEnd,
};

/// A piece of the text: bytes `begin` to `end`.
struct Token {
  TokenKind kind;
  std::size_t begin;
  std::size_t end;
};

/// "# ..." up to the end of its line.
struct TextComment {
  std::size_t begin;
  std::size_t end;
  bool is_alone;  // in its line
};

/// Something wrong with the text at bytes `begin` to `end`.
struct TextProblem {
  std::size_t begin;
  std::size_t end;
  std::string message;
};

inline constexpr std::size_t kMostProblems = 1000;  // that are kept, of a lexer and of a parser

/// What a text consists of. The last token is kEnd, and a kNewline is before each kDedent.
struct Lexed {
  std::vector<Token> tokens;
  std::vector<TextComment> comments;
  std::vector<TextProblem> problems;
};

/// Divides `text` into tokens. Lines in brackets have no kNewline, kIndent and kDedent.
Lexed lex(std::string_view text);

/// The text in the comments of a source, everything else blank, so that places are those of the source; empty if there is
/// none. What follows it is left out.
std::string embedded_text(std::string_view source);

/// The source with the lines of its text replaced by those of `text`.
std::string with_embedded_text(std::string_view source, std::string_view text);

/// How the name of a file in `dialect` ends, mostly; empty if there is no such dialect.
std::string_view usual_ending(std::string_view dialect);

/// The problems of `text` in the order of their places, as one error.
Error error_of(const std::vector<TextProblem>& problems, const ProgramText& text);

/// The largest size up to `size` at which `text` can be cut: between characters of UTF-8.
std::size_t size_to_cut(std::string_view text, std::size_t size);

/// "12:7": line and column of a byte, from 1.
std::string line_and_column(std::string_view text, std::size_t at);

/// An operator between its operands. Of those of a higher level the operands need no parentheses.
struct InfixOp {
  ExprOp op;
  int level;
};
inline constexpr int kNotLevel = 3;  // of "not", before its operand
inline constexpr int kComparisonLevel = 4;
inline constexpr int kSumLevel = 9;
inline constexpr std::array kInfixOps = std::to_array<InfixOp>({
    {ExprOp::kOr, 1},
    {ExprOp::kAnd, 2},
    {ExprOp::kEq, kComparisonLevel},
    {ExprOp::kNe, kComparisonLevel},
    {ExprOp::kLt, kComparisonLevel},
    {ExprOp::kLe, kComparisonLevel},
    {ExprOp::kGt, kComparisonLevel},
    {ExprOp::kGe, kComparisonLevel},
    {ExprOp::kBitOr, 5},
    {ExprOp::kBitXor, 6},
    {ExprOp::kBitAnd, 7},
    {ExprOp::kShl, 8},
    {ExprOp::kShr, 8},
    {ExprOp::kAdd, kSumLevel},
    {ExprOp::kSub, kSumLevel},
    {ExprOp::kMul, 10},
});

/// What the parser reads as `expr`; names as `named` has them.
std::string expr_text(const Expr& expr, const std::function<std::string(const std::string& name)>& named = {});

/// "f32", "i64", "bf16x2"; of other types the name that JSON has.
std::string text_name(DType type);

/// Where a part of the program is in the text, by the JSON pointer that `validate` has for it.
struct TextPlace {
  std::string pointer;
  std::size_t begin;
  std::size_t end;
  bool is_line;  // a line begins there
};

/// A name in a shape or stride, perhaps with a type behind it.
struct SymbolUse {
  std::string name;
  std::optional<DType> dtype;
  Token token;
};

/// Reads the tokens of a text in order. After a problem it stands at the end of the line until `end_line`, so that there is one
/// problem a line, and nothing that follows from it.
class TextReader {
 public:
  TextReader(std::string_view text, Lexed lexed);

  // Tokens.
  const Token& peek(std::size_t ahead = 0) const;
  bool is(TokenKind kind, std::size_t ahead = 0) const { return peek(ahead).kind == kind; }
  /// Is it this word, operator or bracket?
  bool is(std::string_view word, std::size_t ahead = 0) const;
  std::string_view text_of(const Token& token) const { return text_.substr(token.begin, token.end - token.begin); }
  std::string_view text() const { return text_; }
  bool take(TokenKind kind);
  bool take(std::string_view word);
  /// A problem that says what was expected, `what`, if it is not there.
  bool expect(std::string_view word, std::string_view what);
  /// The end of the line; a problem if more follows.
  void end_line();
  /// Skips the lines of a block that nothing is known of.
  void skip_block();

  // Values. Where there is none it is a problem, and they return something.
  std::string name(std::string_view what);
  std::string string(std::string_view what);
  std::int64_t integer(std::string_view what);
  double number(std::string_view what);
  DType dtype(std::string_view what);
  Expr expr();
  std::vector<Expr> exprs();  // [a, b]
  Extents extents();  // the same, or one without brackets
  std::vector<std::int64_t> integers();
  /// One of the `words` of an enumeration, as its number.
  std::size_t word(const std::vector<std::string>& words);
  MemoryRef memory(const JsonPointer& at);  // NAME, or NAME offset E
  Expr offset(const JsonPointer& at);
  Expr bytes(const JsonPointer& at);  // ": E bytes"
  /// Words behind one another, each once, until the line ends. `read` says whether it knows one, and reads what follows it.
  void attributes(const JsonPointer& at, const std::vector<std::string>& known,
                  const std::function<bool(const std::string& word)>& read);

  /// While it is not null, names of expressions are put there, and may have a type.
  void collect_symbols(std::vector<SymbolUse>* symbols) { symbols_ = symbols; }

  // Problems and places.
  void fail(std::string message) { fail(peek(), std::move(message)); }
  void fail(const Token& at, std::string message);
  /// The same, but what follows in the line is read.
  void problem(const Token& at, std::string message);
  /// "expected WHAT (found ...)", and the nearest of `known`.
  void expected(std::string_view what, const std::vector<std::string>& known = {});
  bool failed() const { return failed_; }
  /// Was there something that could not be read?
  bool is_broken() const { return is_broken_; }
  std::vector<TextProblem> take_problems() { return std::move(problems_); }
  /// What is at `pointer` begins with token `first` and ends before this one.
  void mark(const JsonPointer& pointer, const Token& first, bool is_line = false);
  const std::vector<TextPlace>& places() const { return places_; }

 private:
  struct Deep {
    Expr expr;
    int depth = 1;
  };
  Deep deep_expr(int level);
  Deep operand();
  Deep negated();
  Deep call(const Token& function);
  Deep made(const Token& at, ExprOp op, std::vector<Deep> operands, DType type = {});
  std::optional<InfixOp> infix(int level) const;
  template <class Read>
  auto in_brackets(const Read& read);  // [a, b]

  std::string_view text_;
  std::vector<Token> tokens_;
  std::vector<TextProblem> problems_;
  std::vector<TextPlace> places_ = {};
  std::vector<SymbolUse>* symbols_ = nullptr;
  std::size_t at_ = 0;
  int nesting_ = 0;  // of the expression that is read
  bool failed_ = false;
  bool is_broken_ = false;
};

/// Reads lets, asserts, workspaces, tensor maps and steps up to the end of their block.
Body read_text_body(TextReader& in, const Signature& signature, const JsonPointer& at);

/// The names that the lines of a body before its steps declare.
struct DeclaredMemory {
  std::set<std::string> workspaces;
  std::set<std::string> tensor_maps;
};

/// Reads the step that is next, with its blocks, behind those in `steps`.
void read_text_step(TextReader& in, const Signature& signature, const DeclaredMemory& declared,
                    std::vector<Step>& steps, const JsonPointer& at);

/// Reads the arguments of a launch without the brackets around them, over memory and scalars of the signature alone.
void read_text_arguments(TextReader& in, const Signature& signature);

/// The words that lines of a body begin with, and those of lines before it: of a variant, and of what is known of a program.
const std::vector<std::string>& body_words();
const std::vector<std::string>& variant_words();
const std::vector<std::string>& metadata_words();
const std::vector<std::string>& head_words();  // both

/// A problem if what is next is a declaration of C, which has the type before the name: "const float* x", "void k". It shows what
/// to write for kernel `name`; empty: for the one that is declared.
void refuse_c(TextReader& in, std::string_view name = {});

/// Reads "NAME(PARAMETERS)".
std::pair<std::string, Signature> read_text_signature(TextReader& in);

/// Reads a whole program. Of `files` it fetches what the text names, and takes `own` for what a variant has without sources.
Program read_text_program(TextReader& in, const FileReader& files, const File* own);

/// A tensor map over `buffer` without dims or strides of its own has these; nothing if its elements have no whole bytes.
std::vector<Expr> map_dims(const BufferParam& buffer);
std::optional<std::vector<Expr>> map_strides(const BufferParam& buffer);

/// As `to_text`, with what a file of its own or a source has beside: comments by the pointer of the line that they belong to.
struct LineComments {
  std::vector<std::string> above;
  std::string behind;
};
std::string print_text(const Program& program, std::string_view own_source,
                       std::map<std::string, LineComments> comments);

}  // namespace kmux
