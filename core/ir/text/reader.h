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

// The shared base of the parser: tokens, a cursor, and common syntax. Each part of the parser reads one kind of
// element.
namespace kmux {

enum class TokenKind : std::uint8_t {
  kName,  // begins with a letter or underscore
  kWord,  // begins with a digit: 128b
  kInteger,
  kNumber,  // with a point or an exponent
  kString,  // between double quotes
  kKernel,  // after "launch": kern<float, 4>
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
  bool is_alone;  // the only text of its line
};

/// An error in the text at bytes `begin` to `end`.
struct TextProblem {
  std::size_t begin;
  std::size_t end;
  std::string message;
};

inline constexpr std::size_t kMaxProblems = 1000;  // kept by a lexer, and by a parser

/// The result of the lexer. The last token is kEnd, and a kNewline is before each kDedent.
struct Lexed {
  std::vector<Token> tokens;
  std::vector<TextComment> comments;
  std::vector<TextProblem> problems;
};

/// Divides `text` into tokens. Lines in brackets have no kNewline, kIndent or kDedent.
Lexed lex(std::string_view text);

/// Returns the program text in the comments of a source, with all other characters blanked so that positions are those
/// of the source. Omits the source after the text. Returns "" if the source carries no text.
std::string embedded_text(std::string_view source);

/// Returns the source with the lines of its program text replaced by those of `text`.
std::string with_embedded_text(std::string_view source, std::string_view text);

/// Returns the usual extension of files in `dialect`; empty for an unknown dialect.
std::string_view usual_ending(std::string_view dialect);

/// Returns the problems of `text`, sorted by position, as one error.
Error error_of(const std::vector<TextProblem>& problems, const ProgramText& text);

/// Returns the largest size up to `size` at which `text` can be cut between UTF-8 characters.
std::size_t size_to_cut(std::string_view text, std::size_t size);

/// Returns line and column of a byte, counted from 1: "12:7".
std::string line_and_column(std::string_view text, std::size_t at);

/// An infix operator and its precedence: operands with operators of a higher level need no parentheses.
struct InfixOp {
  ExprOp op;
  int level;
};
inline constexpr int kNotLevel = 3;  // of "not", a prefix operator
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

/// Returns the text that the parser reads as `expr`; `named`, if given, spells its names.
std::string expr_text(const Expr& expr, const std::function<std::string(const std::string& name)>& named = {});

/// Returns "f32", "i64", "bf16x2"; for types without a short name the one in JSON.
std::string text_name(DType type);

/// The position in the text of a part of the program, identified by the JSON pointer that `validate` uses.
struct TextPlace {
  std::string pointer;
  std::size_t begin;
  std::size_t end;
  bool is_line;  // a line begins there
};

/// A name in a shape or stride, with an optional type.
struct SymbolUse {
  std::string name;
  std::optional<DType> dtype;
  Token token;
};

/// Complex dtypes, by the names of parameters.
using ComplexScalars = std::map<std::string, DType>;

/// Reads the tokens of a text in order. After a failure it stays at the end of the line until `end_line`, so that each
/// line reports one problem and no consequential ones.
class TextReader {
 public:
  TextReader(std::string_view text, Lexed lexed);

  // Tokens.
  const Token& peek(std::size_t ahead = 0) const;
  bool is(TokenKind kind, std::size_t ahead = 0) const { return peek(ahead).kind == kind; }
  /// Returns true if the token is this word, operator or bracket.
  bool is(std::string_view word, std::size_t ahead = 0) const;
  std::string_view text_of(const Token& token) const { return text_.substr(token.begin, token.end - token.begin); }
  std::string_view text() const { return text_; }
  bool take(TokenKind kind);
  bool take(std::string_view word);
  /// Takes `word`, or reports that `word` and `what` were expected.
  bool expect(std::string_view word, std::string_view what);
  /// Takes the end of the line; reports a problem if more tokens follow.
  void end_line();
  /// Skips the lines of a block without parsing them.
  void skip_block();

  // Values. A missing value is reported as a problem; the function then returns an arbitrary one.
  std::string name(std::string_view what);
  std::string string(std::string_view what);
  std::int64_t integer(std::string_view what);
  double number(std::string_view what);
  DType dtype(std::string_view what);
  Expr expr();
  std::vector<Expr> exprs();  // [a, b]
  Extents extents();  // [a, b], or one without brackets
  std::vector<std::int64_t> integers();
  /// Reads one of the `words` of an enumeration and returns its index.
  std::size_t word(const std::vector<std::string>& words);
  MemoryRef memory(const JsonPointer& at);  // NAME, or NAME offset E
  Expr offset(const JsonPointer& at);
  Expr bytes(const JsonPointer& at);  // ": E bytes"
  /// Reads a sequence of words, each at most once, until the line ends. `read` returns true if it accepts a word, after
  /// reading its value.
  void attributes(const JsonPointer& at, const std::vector<std::string>& known,
                  const std::function<bool(const std::string& word)>& read);

  /// While `symbols` is not null, appends names of expressions to it and accepts a type after them.
  void collect_symbols(std::vector<SymbolUse>* symbols) { symbols_ = symbols; }

  /// The scalar parameters of a complex dtype, each of which the signature has as two: its parts.
  const ComplexScalars& complex_scalars() const { return complex_scalars_; }
  void add_complex_scalar(const std::string& name, DType dtype) { complex_scalars_.emplace(name, dtype); }

  // Problems and places.
  void fail(std::string message) { fail(peek(), std::move(message)); }
  void fail(const Token& at, std::string message);
  /// Reports a problem and continues with the rest of the line.
  void problem(const Token& at, std::string message);
  /// Fails with "expected WHAT (found ...)" and the nearest of `known`.
  void expected(std::string_view what, const std::vector<std::string>& known = {});
  bool failed() const { return failed_; }
  /// Returns true if some part of the text could not be read.
  bool is_broken() const { return is_broken_; }
  std::vector<TextProblem> take_problems() { return std::move(problems_); }
  /// Records that the element at `pointer` begins with token `first` and ends before the current one.
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
  ComplexScalars complex_scalars_ = {};
  std::size_t at_ = 0;
  int nesting_ = 0;  // of the current expression
  bool failed_ = false;
  bool is_broken_ = false;
};

/// Reads lets, asserts, workspaces, tensor maps and steps up to the end of their block.
Body read_text_body(TextReader& in, const Signature& signature, const JsonPointer& at);

/// The names declared by the lines of a body that precede its steps.
struct DeclaredMemory {
  std::set<std::string> workspaces;
  std::set<std::string> tensor_maps;
};

/// Reads the next step, with its blocks, and appends it to `steps`.
void read_text_step(TextReader& in, const Signature& signature, const DeclaredMemory& declared,
                    std::vector<Step>& steps, const JsonPointer& at);

/// Reads the arguments of a launch without the surrounding brackets. Only memory and scalars of the signature are
/// known.
void read_text_arguments(TextReader& in, const Signature& signature);

/// The words that begin the lines of a body, of a variant before its body, and of the metadata of a program.
const std::vector<std::string>& body_words();
const std::vector<std::string>& variant_words();
const std::vector<std::string>& metadata_words();
const std::vector<std::string>& head_words();  // metadata_words, then variant_words

/// Fails if a C declaration is next, which has the type before the name: "const float* x", "void k". The message shows
/// the correct form for kernel `name`; empty: for the declared one.
void refuse_c(TextReader& in, std::string_view name = {});

/// Reads "NAME(PARAMETERS)".
std::pair<std::string, Signature> read_text_signature(TextReader& in);

/// Reads a whole program. Reads the files that the text names through `files`; a variant without sources gets `own`.
Program read_text_program(TextReader& in, const FileReader& files, const File* own);

/// The default dims and strides of a tensor map over `buffer`; no strides if its elements are not whole bytes.
std::vector<Expr> map_dims(const BufferParam& buffer);
std::optional<std::vector<Expr>> map_strides(const BufferParam& buffer);

/// The comments that belong to a line.
struct LineComments {
  std::vector<std::string> above;
  std::string behind;
};
/// As `to_text`, with the comments of a file or source, keyed by the JSON pointer of their line. `own_source` is the
/// path of the source that carries the program; empty for a separate file.
std::string print_text(const Program& program, std::string_view own_source,
                       std::map<std::string, LineComments> comments);

}  // namespace kmux
