// Programs made from a source and a short description, the input of `kmux::kernel`.
#include <algorithm>
#include <array>
#include <vector>

#include "kmux/guarded.h"
#include "kmux/json.h"
#include "kmux/plugin/features.h"
#include "kmux/plugin/word_list.h"
#include "kmux/text.h"

#include "ir/validate/validation.h"
#include "reader.h"

namespace kmux {
namespace {

bool has(std::string_view text, std::string_view word) { return text.find(word) != std::string_view::npos; }

/// Detects the dialect by text that only its sources contain. CUDA and HIP share a keyword; C is the default.
std::string_view dialect_of_source(std::string_view source) {
  if (has(source, "__global__")) return has(source, "hip/hip_runtime.h") ? "hip" : "cuda";
  if (has(source, "metal_stdlib") || has(source, "[[thread")) return "msl";
  if (has(source, "import cutlass") || has(source, "from cutlass") || has(source, "@cute.")) return "cutedsl";
  return "c";
}

std::string file_name(std::string_view dialect, std::string_view source) {
  const bool is_cpp = dialect == "c" && has(source, "extern \"C\"");
  return "kernel" + std::string(is_cpp ? ".cpp" : usual_ending(dialect));
}

std::string_view without_leading_blanks(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(" \t\n"), text.size()));
}

/// Returns the lines that are not blank, without the indentation of the first, since texts are often indented in
/// sources.
std::vector<std::string> dedented(std::string_view text) {
  std::vector<std::string> lines = split_lines(text);
  std::erase_if(lines, [](const std::string& line) { return without_leading_blanks(line).empty(); });
  const std::size_t indent = lines.empty() ? 0 : lines.front().find_first_not_of(" \t");
  for (std::string& line : lines) line.erase(0, std::min(indent, line.find_first_not_of(" \t")));
  return lines;
}

std::string in_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text.append(line).append("\n");
  return text;
}

bool is_whole(std::string_view text) {
  const std::string_view begin = without_leading_blanks(text);
  return begin.starts_with("kernel ") || begin.starts_with("program ");
}

/// Returns the source with the text in a comment at its end, so that line numbers of the source do not change.
std::string carrying(std::string_view source, std::string_view text, bool is_python) {
  const std::string mark = is_python ? "#!" : "//!";
  std::string result(source);
  if (!result.empty() && result.back() != '\n') result += '\n';
  result += mark + " kmux\n";
  for (const std::string& line : split_lines(text)) result.append(mark).append(" ").append(line).append("\n");
  return result;
}

/// A text assembled from parts, which the caller wrote, and generated text between them.
class Composition {
 public:
  Composition& part(std::string name, std::string_view text) {
    parts_.push_back({std::move(name), content_.size(), content_.size() + text.size()});
    return between(text);
  }
  Composition& between(std::string_view text) {
    content_ += text;
    return *this;
  }

  /// Reads the part of this name alone, if it exists, so that its errors do not mention the text around it.
  template <class Read>
  void check(std::string_view name, const Read& read) {
    const auto part = std::ranges::find(parts_, name, &TextPart::name);
    if (part == parts_.end()) return;
    const std::string_view text = std::string_view(content_).substr(part->begin, part->end - part->begin);
    TextReader in(text, lex(text));
    read(in);
    in.end_line();
    for (TextProblem& problem : in.take_problems()) {
      problems_.push_back({problem.begin + part->begin, problem.end + part->begin, std::move(problem.message)});
    }
  }

  bool has_problems() const { return !problems_.empty(); }
  std::vector<TextProblem> take_problems() { return std::move(problems_); }
  const std::string& content() const { return content_; }
  const std::vector<TextPart>& parts() const { return parts_; }

 private:
  std::string content_ = {};
  std::vector<TextPart> parts_ = {};
  std::vector<TextProblem> problems_ = {};
};

/// Returns every parameter, then every symbol.
std::string all_of(const Signature& signature, const ComplexScalars& complex_scalars) {
  std::map<std::string, std::string> wholes;  // of the parts of complex scalars; none of the second one
  for (const auto& [name, dtype] : complex_scalars) {
    const auto [real, imaginary] = complex_parts(name);
    wholes.insert({{real, name}, {imaginary, ""}});
  }
  std::vector<std::string> names;
  names.reserve(signature.params.size() + signature.symbols.size());
  for (const Param& param : signature.params) {
    const auto whole = wholes.find(param.name);
    const std::string& name = whole == wholes.end() ? param.name : whole->second;
    if (!name.empty()) names.push_back(name);
  }
  for (const Symbol& symbol : signature.symbols) names.push_back(symbol.name);
  return join(names);
}

// Adds the kernel name, in quotes if it is an overload with brackets.
void add_name(Composition& text, const std::string& name) {
  const bool is_quoted = name.find('(') != name.npos && name.find_first_of("\"\\\n") == name.npos;
  const std::string_view quote = is_quoted ? "\"" : "";
  text.between(quote).part("name", name).between(quote);
}

void add_defines(Composition& text, const std::vector<std::string>& defines) {
  std::vector<std::string> quoted;
  quoted.reserve(defines.size());
  for (const std::string& define : defines) quoted.push_back(dump(Json(define)));
  if (!quoted.empty()) text.between("\n  defines " + join(quoted));
}

void add_extents(Composition& text, const KernelText& kernel) {
  if (kernel.grid.empty() && kernel.block.empty()) return;
  text.between("<<<").part("grid", kernel.grid).between(", ").part("block", kernel.block);
  if (!kernel.dynamic_smem_bytes.empty()) text.between(", ").part("dynamic_smem_bytes", kernel.dynamic_smem_bytes);
  text.between(">>>");
}

void read_extents(TextReader& in) {
  in.extents();
  if (!in.failed() && in.is(",")) in.fail("several extents stand in brackets. Write \"[m, n]\", say.");
}

/// Returns true for a dialect without a file extension.
bool is_unnamed(std::string_view dialect) { return !dialect.empty() && usual_ending(dialect).empty(); }

/// Assembles the text of a kernel from its parts; records problems of parts that cannot be read.
Composition composed(const KernelText& kernel) {
  Composition text;
  std::string signature = in_lines(dedented(kernel.signature));
  signature.pop_back();
  const bool is_line = signature.find('\n') == std::string::npos;
  text.between("kernel ").part("signature", signature);
  if (is_line && is_unnamed(kernel.dialect)) text.between("\n  dialect " + kernel.dialect);
  add_defines(text, kernel.defines);
  text.between("\n  launch ");
  std::pair<std::string, Signature> read;
  ComplexScalars complex_scalars;
  text.check("signature", [&](TextReader& in) {
    read = read_text_signature(in);
    complex_scalars = in.complex_scalars();
  });
  if (kernel.name.empty())
    text.between(read.first);
  else
    add_name(text, kernel.name);
  add_extents(text, kernel);
  text.between("(");
  if (kernel.args.empty())
    text.between(all_of(read.second, complex_scalars));
  else
    text.part("args", kernel.args);
  text.between(")\n");
  for (const char* extents : {"grid", "block"}) text.check(extents, read_extents);
  text.check("dynamic_smem_bytes", [](TextReader& in) { in.expr(); });
  // The lines below a signature may declare more.
  if (is_line && !text.has_problems())
    text.check("args", [&](TextReader& in) { read_text_arguments(in, read.second); });
  return text;
}

struct Source {
  std::string_view text;
  std::string_view dialect;
  std::string file;  // its name

  // Errors show lines of the caller's text, not of the generated source that contains it.
  Result<Program> program(std::string_view content, std::vector<TextPart> parts = {}) const {
    const std::string source = carrying(text, content, dialect == "cutedsl");
    return read({"signature", content, file, source, std::move(parts)}, source);
  }
  Result<Program> program(Composition composition) const {
    std::vector<TextProblem> problems = composition.take_problems();
    if (problems.empty()) return program(composition.content(), composition.parts());
    return error_of(problems, {"signature", composition.content(), file, text, composition.parts()});
  }
  static Result<Program> read(const ProgramText& text, std::string_view source) {
    return from_text(text, [&](const std::string&) -> Result<std::string> { return std::string(source); });
  }
};

Error no_signature() {
  return make_error(
      ErrorCode::kInvalidArgument,
      "the kernel has no signature (the source carries no program in a comment \"//! kmux\" either). Give one: "
      "\"scale(x: f32[n], out y: f32[n])\".");
}

/// Refuses defines beside a program, which would not have them.
Status check_no_defines(const KernelText& kernel) {
  if (kernel.defines.empty()) return Ok{};
  return make_error(ErrorCode::kInvalidArgument,
                    "defines are given (the program is whole, and has a line \"defines\" for them). Write them there, "
                    "or give the signature alone.");
}

/// Requires a grid and a block: a launch without them has a single thread, which is rarely intended. In CuTe DSL a
/// launch without both calls a host function.
Status check_launched(const KernelText& kernel, std::string_view dialect) {
  if (dialect == "c" || (!kernel.grid.empty() && !kernel.block.empty())) return Ok{};
  if (dialect == "cutedsl" && kernel.grid.empty() && kernel.block.empty()) return Ok{};
  const std::string_view lacking = !kernel.block.empty()  ? "grid"
                                   : !kernel.grid.empty() ? "block"
                                                          : "grid and no block";
  return make_error(ErrorCode::kInvalidArgument,
                    "the kernel has no " + std::string(lacking) + " (a kernel of dialect \"" + std::string(dialect) +
                        "\" is launched over both). Give them: grid \"ceildiv(n, 256)\" and "
                        "block 256, say.");
}

// Words that begin declarations of C and C++.
constexpr std::array kWordsOfC = std::to_array<std::string_view>(
    {"__device__", "__global__", "auto",     "bool",     "char", "const",   "constexpr", "double",
     "extern",     "float",      "half",     "inline",   "int",  "long",    "short",     "signed",
     "static",     "struct",     "template", "unsigned", "void", "volatile"});

bool is_of_c(const TextReader& in) {
  if (!in.is(TokenKind::kName)) return false;
  if (in.is("*", 1) || in.is("&", 1)) return true;
  const std::string_view word = in.text_of(in.peek());
  const bool is_type = std::ranges::find(kWordsOfC, word) != kWordsOfC.end() || word.ends_with("_t");
  return is_type && (in.is(TokenKind::kName, 1) || in.is(TokenKind::kString, 1) || in.is("<", 1));
}

/// Returns the name before the next "(" in the line; "k" if there is no name.
std::string_view declared(const TextReader& in) {
  std::size_t ahead = 0;
  while (!in.is("(", ahead + 1) && !in.is(TokenKind::kNewline, ahead) && !in.is(TokenKind::kEnd, ahead)) ++ahead;
  return in.is(TokenKind::kName, ahead) ? in.text_of(in.peek(ahead)) : "k";
}

}  // namespace

void refuse_c(TextReader& in, std::string_view name) {
  if (!is_of_c(in)) return;
  in.fail(
      "this is a signature of C (here the name of a parameter stands before its type, and sizes come from shapes). "
      "Write \"" +
      std::string(name.empty() ? declared(in) : name) + "(a: f32, x: f32[n], y: inout f32[n])\", say.");
}

Result<Program> kernel_program(const KernelText& kernel) {
  return guarded([&]() -> Result<Program> {
    const std::string_view dialect = kernel.dialect.empty() ? dialect_of_source(kernel.source) : kernel.dialect;
    const Dialect* const known = find_dialect(dialect);
    if (!is_dialect(dialect) || (known != nullptr && known->is_binary)) {
      return make_error(ErrorCode::kInvalidArgument,
                        "\"" + std::string(dialect) +
                            "\" is not a dialect that kernels are written in. Use c, cuda, "
                            "hip, msl or cutedsl.");
    }
    const Source source{kernel.source, dialect, file_name(dialect, kernel.source)};
    if (is_whole(kernel.signature)) {
      KMUX_TRY(check_no_defines(kernel));
      return source.program(in_lines(dedented(kernel.signature)));
    }
    if (without_leading_blanks(kernel.signature).empty()) {
      if (!carries_text(kernel.source)) return no_signature();
      KMUX_TRY(check_no_defines(kernel));
      return Source::read({source.file, kernel.source, source.file}, kernel.source);
    }
    KMUX_TRY(check_launched(kernel, dialect));
    return source.program(composed(kernel));
  });
}

}  // namespace kmux
