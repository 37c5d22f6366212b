#include "ir/declared_parameters.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <span>
#include <variant>

#include "kmux/plugin/characters.h"
#include "kmux/signature.h"

namespace kmux {
namespace {

using Kind = DeclaredParameter::Kind;
using SourceToken = std::string_view;  // a word, or a single other character

bool is_word(SourceToken token) { return is_name_character(token.front()); }

bool is_one_of(std::span<const std::string_view> words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

/// Divides a source of the C family into tokens, without comments, string and character literals and preprocessor
/// lines.
class SourceLexer {
 public:
  explicit SourceLexer(std::string_view text) : rest_(text) {}

  std::vector<SourceToken> tokens() && {
    bool begins_line = true;
    while (!rest_.empty()) {
      const char c = rest_.front();
      if (c == '\n')
        begins_line = true, rest_.remove_prefix(1);
      else if (std::isspace(static_cast<unsigned char>(c)) != 0)
        rest_.remove_prefix(1);
      else if (rest_.starts_with("//") || (c == '#' && begins_line))
        skip_line();
      else if (rest_.starts_with("/*"))
        skip_past("*/");
      else
        begins_line = false, token();
    }
    return std::move(tokens_);
  }

 private:
  void skip_past(std::string_view end) {
    const std::size_t at = rest_.find(end, 2);
    rest_.remove_prefix(at == std::string_view::npos ? rest_.size() : at + end.size());
  }

  // A backslash at the end continues the line.
  void skip_line() {
    std::size_t end = 0;
    do end = rest_.find('\n', end == 0 ? 0 : end + 1);
    while (end != std::string_view::npos && end > 0 && rest_[end - 1] == '\\');
    rest_.remove_prefix(std::min(end, rest_.size()));
  }

  void token() {
    const char c = rest_.front();
    if (c == '"' || c == '\'') return skip_text(c);
    std::size_t size = 1;
    // A quote within a number is a digit separator.
    const bool is_number = std::isdigit(static_cast<unsigned char>(c)) != 0;
    const auto goes_on = [&](char next) { return is_name_character(next) || (is_number && next == '\''); };
    while (is_name_character(c) && size < rest_.size() && goes_on(rest_[size])) ++size;
    const SourceToken found = rest_.substr(0, size);
    rest_.remove_prefix(size);
    if (found.ends_with('R') && rest_.starts_with('"')) return skip_raw();
    tokens_.push_back(found);
  }

  void skip_text(char quote) {
    std::size_t at = 1;
    while (at < rest_.size() && rest_[at] != quote && rest_[at] != '\n') at += rest_[at] == '\\' ? 2 : 1;
    rest_.remove_prefix(std::min(at + 1, rest_.size()));
  }

  void skip_raw() {
    const std::size_t open = rest_.find('(');
    if (open == std::string_view::npos) return skip_text('"');
    skip_past(")" + std::string(rest_.substr(1, open - 1)) + "\"");
  }

  std::string_view rest_;
  std::vector<SourceToken> tokens_;
};

struct KnownType {
  std::string_view text;
  Kind kind;
  unsigned bytes;
};

// The sizes on 64-bit Unix and its devices.
constexpr std::array kKnownTypes = std::to_array<KnownType>({
    {"bool", Kind::kInteger, 1},
    {"int8_t", Kind::kInteger, 1},
    {"uint8_t", Kind::kInteger, 1},
    {"int16_t", Kind::kInteger, 2},
    {"uint16_t", Kind::kInteger, 2},
    {"int32_t", Kind::kInteger, 4},
    {"uint32_t", Kind::kInteger, 4},
    {"int64_t", Kind::kInteger, 8},
    {"uint64_t", Kind::kInteger, 8},
    {"size_t", Kind::kInteger, 8},
    {"ssize_t", Kind::kInteger, 8},
    {"ptrdiff_t", Kind::kInteger, 8},
    {"uintptr_t", Kind::kInteger, 8},
    {"intptr_t", Kind::kInteger, 8},
    {"uint", Kind::kInteger, 4},
    {"float", Kind::kFloat, 4},
    {"double", Kind::kFloat, 8},
});

constexpr std::array kIntegerWords =
    std::to_array<std::string_view>({"signed", "unsigned", "char", "short", "int", "long"});
constexpr std::array kIgnoredWords =
    std::to_array<std::string_view>({"const", "volatile", "__restrict__", "__restrict", "restrict", "__grid_constant__",
                                     "constant", "device", "struct"});

unsigned bytes_of_words(const std::vector<SourceToken>& words) {
  if (std::ranges::count(words, "long") != 0) return 8;
  if (is_one_of(words, "char")) return 1;
  return is_one_of(words, "short") ? 2 : 4;
}

/// The tokens of a parameter before its default, without qualifiers.
struct ParameterTokens {
  std::vector<SourceToken> integer = {};  // "unsigned", "int"
  std::vector<SourceToken> rest = {};     // the other tokens: another type, and the name
};

ParameterTokens divided_parameter(std::span<const SourceToken> tokens, bool is_metal) {
  ParameterTokens divided;
  for (const SourceToken token : tokens) {
    if (token == "=") break;
    if (is_one_of(kIgnoredWords, token) || (token == "&" && is_metal)) continue;
    const bool is_integer = divided.rest.empty() && is_one_of(kIntegerWords, token);
    (is_integer ? divided.integer : divided.rest).push_back(token);
  }
  return divided;
}

/// Removes "std::" from the front of a type that follows it.
void drop_std(std::vector<SourceToken>& tokens) {
  const bool has_std = tokens.size() > 3 && tokens[0] == "std" && tokens[1] == ":" && tokens[2] == ":";
  if (has_std) tokens.erase(tokens.begin(), tokens.begin() + 3);
}

/// Returns the integer parameter named by words such as "unsigned long", followed by at most one other word.
DeclaredParameter integer_parameter(const ParameterTokens& tokens) {
  const std::vector<SourceToken>& rest = tokens.rest;
  const bool is_named = rest.size() == 1 && is_word(rest[0]) && rest[0] != "double";  // not "long double"
  if (!rest.empty() && !is_named) return {};
  DeclaredParameter parameter{Kind::kInteger, bytes_of_words(tokens.integer), ""};
  for (const SourceToken word : tokens.integer) parameter.text.append(parameter.text.empty() ? "" : " ").append(word);
  return parameter;
}

/// Returns the parameter of a one-word type, followed by at most one other word.
DeclaredParameter one_word_parameter(const std::vector<SourceToken>& tokens) {
  if (tokens.empty() || tokens.size() > 2 || !is_word(tokens.back())) return {};
  const auto known = std::ranges::find(kKnownTypes, tokens[0], &KnownType::text);
  if (known == kKnownTypes.end()) return {};
  return {known->kind, known->bytes, std::string(known->text)};
}

/// Returns the parameter of these tokens: a type, an optional name and an optional default.
DeclaredParameter parameter_of(std::span<const SourceToken> tokens, bool is_metal) {
  ParameterTokens divided = divided_parameter(tokens, is_metal);
  if (is_one_of(divided.rest, "*") || is_one_of(divided.rest, "[")) {
    return is_one_of(divided.rest, "<") ? DeclaredParameter{} : DeclaredParameter{Kind::kPointer, 0, "pointer"};
  }
  drop_std(divided.rest);
  return divided.integer.empty() ? one_word_parameter(divided.rest) : integer_parameter(divided);
}

/// Returns the tokens without "[[...]]"; nothing for a parameter that Metal sets itself, such as the thread position.
std::optional<std::vector<SourceToken>> without_attributes(std::span<const SourceToken> tokens) {
  std::vector<SourceToken> left;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i] != "[" || i + 2 >= tokens.size() || tokens[i + 1] != "[") {
      left.push_back(tokens[i]);
      continue;
    }
    if (tokens[i + 2] != "buffer") return std::nullopt;
    while (i + 1 < tokens.size() && (tokens[i] != "]" || tokens[i + 1] != "]")) ++i;
    ++i;
  }
  return left;
}

/// Appends the parameter of `tokens` to `parameters`, unless they are empty, "void", or a parameter that Metal sets
/// itself.
void add_declared(std::span<const SourceToken> tokens, bool is_metal, std::vector<DeclaredParameter>& parameters) {
  if (tokens.empty()) return;
  const auto left = without_attributes(tokens);
  if (left && !(left->size() == 1 && left->front() == "void")) parameters.push_back(parameter_of(*left, is_metal));
}

/// Counts the open brackets while passing the tokens of a parameter list.
class OpenBrackets {
 public:
  void pass(SourceToken token) {
    if (token == "(" || token == "[" || token == "{") ++brackets_;
    if (token == ")" || token == "]" || token == "}") --brackets_;
    if (token == "<") ++angles_;
    if (token == ">" && angles_ > 0) --angles_;
  }
  bool are_all_closed() const { return brackets_ == 0; }
  bool are_those_of_list() const { return brackets_ == 1 && angles_ == 0; }

 private:
  int brackets_ = 0, angles_ = 0;
};

/// Returns the parameters between the brackets that open at `open`; nothing if they do not close.
std::optional<std::vector<DeclaredParameter>> parameters_at(std::span<const SourceToken> tokens, std::size_t open,
                                                            bool is_metal) {
  std::vector<DeclaredParameter> parameters;
  OpenBrackets brackets;
  std::size_t begin = open + 1;
  for (std::size_t i = open; i < tokens.size() && tokens[i] != ";"; ++i) {
    brackets.pass(tokens[i]);
    const bool is_comma = tokens[i] == "," && brackets.are_those_of_list();
    if (!is_comma && !brackets.are_all_closed()) continue;
    add_declared(tokens.subspan(begin, i - begin), is_metal, parameters);
    if (brackets.are_all_closed()) return parameters;
    begin = i + 1;
  }
  return std::nullopt;
}

/// Returns true if the name at `at` follows the beginning of a declaration; in device dialects, that of a kernel.
bool is_declared_at(std::span<const SourceToken> tokens, std::size_t at, std::string_view dialect) {
  constexpr std::array kNoTypes =
      std::to_array<std::string_view>({"return", "else", "do", "case", "goto", "throw", "new", "delete", "co_return"});
  if (at == 0) return false;
  const SourceToken before = tokens[at - 1];
  const bool may_be = is_word(before) ? !is_one_of(kNoTypes, before) : before == "*" || before == ")";
  if (!may_be) return false;
  const std::string_view mark = dialect == "msl" ? "kernel" : dialect == "c" ? "" : "__global__";
  if (mark.empty()) return before != ")";
  for (std::size_t i = at; i-- > 0 && tokens[i] != ";" && tokens[i] != "}" && tokens[i] != "{";) {
    if (tokens[i] == mark) return true;
  }
  return false;
}

bool has_sources_of_c(std::string_view dialect) {
  return dialect == "c" || dialect == "cuda" || dialect == "hip" || dialect == "msl";
}

/// Returns the unqualified name: "scale" of "ns::scale<float, 4>".
std::string_view last_name(std::string_view kernel) {
  kernel = kernel.substr(0, kernel.find('<'));
  const std::size_t colon = kernel.rfind(':');
  return colon == std::string_view::npos ? kernel : kernel.substr(colon + 1);
}

void add_declarations(std::string_view source, std::string_view name, std::string_view dialect, std::size_t count,
                      std::vector<std::vector<DeclaredParameter>>& found) {
  if (source.find(name) == std::string_view::npos) return;
  const std::vector<SourceToken> tokens = SourceLexer(source).tokens();
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (tokens[i] != name || tokens[i + 1] != "(" || !is_declared_at(tokens, i, dialect)) continue;
    auto parameters = parameters_at(tokens, i + 1, dialect == "msl");
    if (parameters && parameters->size() == count) found.push_back(*std::move(parameters));
  }
}

/// A passed value that can be compared with the declaration of its parameter.
struct PassedValue {
  std::optional<DType> dtype;  // of a number; a structure has none
  std::string text;  // "int32 n"
};

std::optional<PassedValue> passed_value(const Signature& signature, const LaunchArg& argument) {
  if (const auto* value = std::get_if<ExprArg>(&argument))
    return PassedValue{value->dtype, to_string(value->dtype) + " " + to_string(value->value)};
  if (std::holds_alternative<StructArg>(argument)) return PassedValue{std::nullopt, "a structure"};
  const auto* scalar = std::get_if<ScalarArg>(&argument);
  const Param* param = scalar == nullptr ? nullptr : find_param(signature, scalar->param);
  if (param == nullptr || as_scalar(*param) == nullptr) return std::nullopt;
  const DType dtype = as_scalar(*param)->dtype;
  return PassedValue{dtype, to_string(dtype) + " " + scalar->param};
}

bool fits_declared(DType passed, const DeclaredParameter& taken) {
  const bool is_integer_like = is_integer(passed) || is_bool(passed);
  const bool is_number =
      passed.lanes == 1 && (is_integer_like || passed == dtype::kFloat32 || passed == dtype::kFloat64);
  if (!is_number || taken.kind == Kind::kUnknown) return true;
  const Kind kind = is_integer_like ? Kind::kInteger : Kind::kFloat;
  return kind == taken.kind && packed_bytes(passed, 1) == std::int64_t{taken.bytes};
}

Status check_declared(const Signature& signature, const Variant& variant, const Launch& launch) {
  const auto declarations = declared_parameters(variant, launch.kernel, launch.args.size());
  for (std::size_t i = 0; i < launch.args.size() && !declarations.empty(); ++i) {
    const auto passed = passed_value(signature, launch.args[i]);
    const auto takes = [&](const auto& each) {
      return passed->dtype ? fits_declared(*passed->dtype, each[i]) : each[i].kind == Kind::kUnknown;
    };
    if (!passed || std::ranges::any_of(declarations, takes)) continue;
    return make_error(ErrorCode::kInvalidArgument,
                      "kernel \"" + launch.kernel + "\" is launched with " + passed->text + " as argument " +
                          std::to_string(i + 1) + " (its source takes " + declarations.front()[i].text + "). " +
                          (passed->dtype ? "Write the type of the argument behind it, as \"n: i64\""
                                         : "Pass a number or an address") +
                          ", or correct the kernel.");
  }
  return Ok{};
}

/// Calls `visit` for every launch, including those in guards and loops. `Steps` may be const.
template <class Steps, class Visit>
void for_each_launch(Steps& steps, const Visit& visit) {
  for (auto& step : steps) {
    if (auto* const launch = std::get_if<Launch>(&step)) visit(*launch);
    if (auto* const loop = std::get_if<For>(&step)) for_each_launch(loop->steps, visit);
    if (auto* const guard = std::get_if<If>(&step)) {
      for_each_launch(guard->then_steps, visit);
      for_each_launch(guard->else_steps, visit);
    }
  }
}

// Members are int32, since declarations of structures are not read.
void settle_members(StructArg& record) {
  for (LaunchArg& member : record.members) {
    if (auto* const inner = std::get_if<StructArg>(&member)) settle_members(*inner);
    auto* const value = std::get_if<ExprArg>(&member);
    if (value != nullptr && value->dtype == kUntypedInteger) value->dtype = dtype::kInt32;
  }
}

}  // namespace

std::vector<std::vector<DeclaredParameter>> declared_parameters(const Variant& variant, std::string_view kernel,
                                                                std::size_t count) {
  std::vector<std::vector<DeclaredParameter>> found;
  if (!has_sources_of_c(variant.dialect)) return found;
  // A kernel name with parameter types declares its parameters.
  const std::size_t open = kernel.find('(');
  if (open != std::string_view::npos) {
    auto parameters = parameters_at(SourceLexer(kernel.substr(open)).tokens(), 0, false);
    if (parameters && parameters->size() == count) found.push_back(*std::move(parameters));
    return found;
  }
  const std::string_view name = last_name(kernel);
  if (name.empty()) return found;
  for (const auto* files : {&variant.sources, &variant.headers}) {
    for (const File& file : *files) add_declarations(file.content, name, variant.dialect, count, found);
  }
  return found;
}

std::vector<DType> untyped_integers(const Variant& variant, const Launch& launch) {
  const auto declarations = declared_parameters(variant, launch.kernel, launch.args.size());
  std::vector<DType> types(launch.args.size(), dtype::kInt32);
  for (std::size_t i = 0; i < types.size() && !declarations.empty(); ++i) {
    const auto is_wide = [&](const auto& each) { return each[i].kind == Kind::kInteger && each[i].bytes == 8; };
    if (std::ranges::all_of(declarations, is_wide)) types[i] = dtype::kInt64;
  }
  return types;
}

void settle_integers(Variant& variant) {
  const auto is_untyped = [](const LaunchArg& arg) {
    const auto* const value = std::get_if<ExprArg>(&arg);
    return value != nullptr && value->dtype == kUntypedInteger;
  };
  for_each_launch(variant.body.steps, [&](Launch& launch) {
    for (LaunchArg& arg : launch.args) {
      if (auto* const record = std::get_if<StructArg>(&arg)) settle_members(*record);
    }
    if (std::ranges::none_of(launch.args, is_untyped)) return;
    const std::vector<DType> types = untyped_integers(variant, launch);
    for (std::size_t i = 0; i < types.size(); ++i) {
      if (is_untyped(launch.args[i])) std::get<ExprArg>(launch.args[i]).dtype = types[i];
    }
  });
}

Status check_declared(const Signature& signature, const Variant& variant) {
  Status status = Ok{};
  for_each_launch(variant.body.steps, [&](const Launch& launch) {
    if (status.ok() && !launch.packed_values) status = check_declared(signature, variant, launch);
  });
  return status;
}

}  // namespace kmux
