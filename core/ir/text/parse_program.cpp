#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "kmux/plugin/features.h"
#include "kmux/plugin/quoting.h"
#include "kmux/validate.h"

#include "ir/json_reader.h"
#include "ir/validate/validation.h"
#include "reader.h"

namespace kmux {
namespace {

/// Reads the parameters; shapes and strides declare the symbols.
class SignatureReader {
 public:
  SignatureReader(TextReader& in, std::string_view name) : in_(in), name_(name) {}

  Signature read(const JsonPointer& at) {
    if (in_.expect("(", "and parameters") && !in_.take(")")) {
      do {
        param(at / "params" / signature_.params.size(), at);
        if (signature_.params.size() > kMaxSlots)
          in_.fail("there are more than " + std::to_string(kMaxSlots) + " parameters. Pass fewer.");
      } while (in_.take(","));
      in_.expect(")", "or ','");
    }
    declare_symbols(at / "symbols");
    return std::move(signature_);
  }

 private:
  enum class Use { kIn, kOut, kInOut };

  Use use() {
    const bool is_word = in_.is(TokenKind::kName, 1);
    if (is_word && in_.take("out")) return Use::kOut;
    if (is_word && in_.take("inout")) return Use::kInOut;
    return Use::kIn;
  }

  void param(const JsonPointer& at, const JsonPointer& signature) {
    const Token first = in_.peek();
    Use use = this->use();
    Param param;
    const Token name = in_.peek();
    refuse_c(in_, name_);
    param.name = in_.name("the name of a parameter");
    in_.mark(at / "name", name);
    if (!in_.take(":")) in_.expected(R"(':' and the type of the parameter, as in "x: f32[n]")");
    if (use == Use::kIn) use = this->use();
    type(param, at);
    BufferParam* const buffer = std::get_if<BufferParam>(&param.kind);
    if (use != Use::kIn && buffer == nullptr)
      in_.fail(first, "only a buffer is written. Give it a shape, such as [n].");
    if (use == Use::kInOut && buffer != nullptr) buffer->inout = true;
    if (use == Use::kOut) {
      in_.mark(signature / "outputs" / signature_.outputs.size(), name);
      signature_.outputs.push_back(param.name);
    }
    in_.mark(at, first);
    if (const ScalarParam* const scalar = as_scalar(param);
        scalar != nullptr && is_complex(scalar->dtype) && scalar->dtype.lanes == 1) {
      return complex_scalar(param.name, scalar->dtype, first, signature);
    }
    signature_.params.push_back(std::move(param));
  }

  void complex_scalar(const std::string& name, DType dtype, const Token& first, const JsonPointer& at) {
    in_.add_complex_scalar(name, dtype);
    for (const std::string& part : complex_parts(name)) {
      const JsonPointer here = at / "params" / signature_.params.size();
      for (const char* key : {"name", "scalar"}) in_.mark(here / key, first);
      in_.mark(here, first);
      signature_.params.push_back({part, ScalarParam{number_of(dtype)}});
    }
  }

  void type(Param& param, const JsonPointer& at) {
    if (in_.take("pointer")) return void(param.kind = PointerParam{});
    const Token first = in_.peek();
    const DType dtype = in_.dtype("a type: pointer, a dtype, or a dtype and a shape");
    if (!in_.is("[")) return param.kind = ScalarParam{dtype}, in_.mark(at / "scalar" / "dtype", first);
    in_.mark(at / "buffer" / "dtype", first);
    BufferParam buffer{.dtype = dtype};
    in_.collect_symbols(&uses_);
    buffer.shape = list(at / "buffer" / "shape");
    while (in_.is(TokenKind::kName)) attribute(buffer, at / "buffer");
    in_.collect_symbols(nullptr);
    param.kind = std::move(buffer);
  }

  std::vector<Expr> list(const JsonPointer& at) {
    const Token first = in_.peek();
    std::vector<Expr> exprs = in_.exprs();
    in_.mark(at, first);
    return exprs;
  }

  void attribute(BufferParam& buffer, const JsonPointer& at) {
    if (in_.take("strides")) {
      buffer.strides = list(at / "strides");
    } else if (in_.take("nullable")) {
      buffer.nullable = true;
    } else if (in_.take("align")) {
      const Token first = in_.peek();
      buffer.alignment_bytes = in_.integer("bytes, a power of two");
      in_.mark(at / "alignment_bytes", first);
    } else {
      in_.expected("',', ')', strides, align or nullable", {"strides", "align", "nullable"});
    }
  }

  void declare_symbols(const JsonPointer& at) {
    std::map<std::string, DType> types;
    std::map<std::string, const Token*> first_uses;
    for (const SymbolUse& use : uses_) {
      first_uses.emplace(use.name, &use.token);
      if (!use.dtype) continue;
      const auto [found, is_new] = types.emplace(use.name, *use.dtype);
      if (find_param(signature_, use.name) != nullptr) {
        in_.problem(use.token,
                    in_double_quotes(use.name) + " is a parameter, which has its type there. Remove it here.");
      } else if (!is_new && found->second != *use.dtype) {
        in_.problem(use.token, in_double_quotes(use.name) + " is " + text_name(found->second) +
                                   " before. Remove one of the types.");
      }
    }
    for (const std::string& name : symbol_order(signature_)) {
      if (const auto first = first_uses.find(name); first != first_uses.end())
        in_.mark(at / signature_.symbols.size(), *first->second);
      const auto type = types.find(name);
      signature_.symbols.push_back({name, type == types.end() ? dtype::kInt64 : type->second});
    }
  }

  TextReader& in_;
  std::string_view name_;  // of the program
  Signature signature_ = {};
  std::vector<SymbolUse> uses_ = {};
};

bool is_word_of(const std::vector<std::string>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

class ProgramReader {
 public:
  ProgramReader(TextReader& in, const FileReader& files, const File* own) : in_(in), files_(files), own_(own) {}

  Program read() {
    const JsonPointer root;
    const Token first = in_.peek();
    if (in_.is(TokenKind::kEnd)) in_.fail("there is no program. Begin with \"kernel NAME(PARAMETERS)\".");
    if (!in_.take("kernel") && !in_.take("program")) in_.expected(R"("kernel" or "program")", {"kernel", "program"});
    std::tie(program_.name, program_.signature) = read_text_signature(in_);
    in_.mark(root, first, true);
    in_.end_line();
    if (in_.take(TokenKind::kIndent))
      lines(first);
    else if (!in_.is_broken())
      in_.fail(first, "the program has no lines. Indent some below it: a launch at least.");
    in_.take(TokenKind::kDedent);
    if (!in_.is(TokenKind::kEnd)) in_.fail("a text has one program. Move this into a file of its own, or indent it.");
    return std::move(program_);
  }

 private:
  bool ends() const { return in_.is(TokenKind::kDedent) || in_.is(TokenKind::kEnd); }

  void lines(const Token& first) {
    Variant flat;
    std::set<std::string> seen;
    const JsonPointer at = JsonPointer() / "variants" / std::size_t{0};
    bool is_flat = false;
    while (!ends()) {
      if (in_.is("variant")) {
        variant(is_flat);
      } else if (is_word_of(metadata_words(), in_.text_of(in_.peek()))) {
        metadata_line(seen);
      } else {
        if (!program_.variants.empty()) in_.fail("this stands in a variant. Indent it below one.");
        is_flat = true;
        if (!head_line(flat, seen, at)) flat.body = read_text_body(in_, program_.signature, at / "body");
      }
    }
    if (!program_.variants.empty()) return;
    finish(flat, first, at);
    program_.variants.push_back(std::move(flat));
  }

  void variant(bool is_flat) {
    const Token first = in_.peek();
    const JsonPointer at = JsonPointer() / "variants" / program_.variants.size();
    if (is_flat) in_.fail("the lines above are those of a variant of their own. Put them into a variant, too.");
    in_.take("variant");
    Variant variant;
    const Token dialect = in_.peek();
    variant.dialect = this->dialect();
    in_.mark(at / "dialect", dialect);
    in_.mark(at, first, true);
    in_.end_line();
    if (in_.take(TokenKind::kIndent)) {
      std::set<std::string> seen;
      while (!ends() && head_line(variant, seen, at)) continue;
      if (!ends()) variant.body = read_text_body(in_, program_.signature, at / "body");
      in_.take(TokenKind::kDedent);
    }
    finish(variant, first, at);
    program_.variants.push_back(std::move(variant));
  }

  std::string dialect() {
    std::string word(in_.text_of(in_.peek()));
    if (is_dialect(word) && in_.take(TokenKind::kName)) return word;
    std::vector<std::string> known;
    for (const Dialect& dialect : all_dialects()) known.emplace_back(dialect.name);
    const std::size_t index = in_.word(known);
    return in_.failed() ? "" : known[index];
  }

  // Completes a variant: adds the default source, and derives a missing dialect from the sources.
  void finish(Variant& variant, const Token& first, const JsonPointer& at) {
    if (variant.sources.empty() && own_ != nullptr) variant.sources.push_back(*own_);
    if (variant.dialect.empty() && !variant.sources.empty()) {
      variant.dialect = dialect_of_file(variant.sources.front().path);
    }
    if (variant.dialect.empty() && !in_.is_broken()) {
      in_.problem(first,
                  variant.sources.empty()
                      ? "there are no sources. Name the file that has the kernels: sources \"kernels.cu\"."
                      : "the names of the sources do not say their dialect. Add a line such as \"dialect cuda\".");
    }
    in_.mark(at / "body", first);
  }

  void once(const std::string& word, std::set<std::string>& seen) {
    if (!seen.insert(word).second) in_.fail(in_double_quotes(word) + " stands here twice. Remove one.");
  }

  // Reads a line of a variant before its body. Returns false for any other line.
  bool head_line(Variant& variant, std::set<std::string>& seen, const JsonPointer& at) {
    const Token first = in_.peek();
    const std::string word(in_.text_of(first));
    if (!is_word_of(variant_words(), word)) return false;
    once(word == "requires" ? word + std::string(in_.text_of(in_.peek(1))) : word, seen);
    in_.take(TokenKind::kName);
    const JsonPointer settings = at / "settings" / word;
    Settings& to = variant.settings;
    if (word == "dialect") variant.dialect = dialect();
    if (word == "requires") return requirement(variant.requirements, at / "requires", first);
    if (word == "sources") return file_line(variant.sources, at / word, first);
    if (word == "headers") return file_line(variant.headers, at / word, first);
    if (word == "standard") to.standard = in_.string("a standard");
    if (word == "defines") to.defines = texts(settings);
    if (word == "preludes") to.preludes = texts(settings);
    if (word == "include_hints") to.include_hints = texts(settings);
    if (word == "python_requires") to.python_requires = texts(settings);
    if (word == "compile_flags") to.compile_flags = texts(settings);
    if (word == "fast_math") to.fast_math = true;
    return finish_line(word == "dialect" ? at / word : settings, first);
  }

  bool finish_line(const JsonPointer& at, const Token& first) {
    in_.mark(at, first, true);
    in_.end_line();
    return true;
  }

  std::vector<std::string> texts(const JsonPointer& at) {
    std::vector<std::string> list;
    do {
      const Token first = in_.peek();
      list.push_back(in_.string("text"));
      in_.mark(at / (list.size() - 1), first);
    } while (in_.take(","));
    return list;
  }

  bool requirement(Requires& requirements, const JsonPointer& at, const Token& first) {
    const bool is_arch = in_.word({"arch", "features"}) == 0;
    const JsonPointer here = at / (is_arch ? "arch" : "features");
    (is_arch ? requirements.arch : requirements.features) = texts(here);
    return finish_line(here, first);
  }

  bool file_line(std::vector<File>& files, const JsonPointer& at, const Token& first) {
    do {
      const Token token = in_.peek();
      const std::string path = in_.string("the path of a file");
      if (in_.failed()) break;
      in_.mark(at / files.size(), token);
      files.push_back(file(path, token));
    } while (in_.take(","));
    return finish_line(at, first);
  }

  File file(const std::string& path, const Token& token) {
    if (own_ != nullptr && path == own_->path) return *own_;
    if (!is_file_path(path)) return {path, ""};  // `validate` reports it
    Result<std::string> content = files_(path);
    if (!content) in_.problem(token, content.error().message);
    return {path, std::move(content).value_or(std::string())};
  }

  void metadata_line(std::set<std::string>& seen) {
    const Token first = in_.peek();
    const std::string word(in_.text_of(first));
    const JsonPointer at = JsonPointer() / "metadata";
    if (word == "constant") return constant(first);
    once(word, seen);
    in_.take(TokenKind::kName);
    Metadata& to = program_.metadata;
    if (word == "description") to.description = in_.string("text");
    if (word == "origin") to.origin = in_.string("text");
    if (word == "reference") to.reference = in_.string("text");
    if (word == "flops") to.flops = in_.expr();
    if (word == "bytes") to.bytes = in_.expr();
    if (word == "example") examples(at);
    if (word == "returns") outputs();
    finish_line(at / word, first);
  }

  void constant(const Token& first) {
    const JsonPointer at = JsonPointer() / "constants" / program_.constants.size();
    Constant& constant = program_.constants.emplace_back();
    in_.take(TokenKind::kName);
    const Token name = in_.peek();
    constant.name = in_.is(TokenKind::kString) ? in_.string("a name") : in_.name("the name of a variable");
    in_.mark(at / "name", name);
    in_.expect(":", "and the type of the constant");
    const Token dtype = in_.peek();
    constant.dtype = in_.dtype("a type: a dtype, or a dtype and a shape of numbers");
    in_.mark(at / "dtype", dtype);
    const Token shape = in_.peek();
    if (in_.is("[")) constant.shape = in_.integers();
    in_.mark(at / "shape", shape);
    constant.initialised = in_.take("initialised");
    finish_line(at, first);
  }

  void examples(const JsonPointer& at) {
    Metadata& to = program_.metadata;
    do {
      const Token first = in_.peek();
      const std::string name = in_.name("a symbol or a scalar");
      in_.expect("=", "and its value in an example");
      const Param* param = find_param(program_.signature, name);
      const bool is_scalar = param != nullptr && as_scalar(*param) != nullptr;
      if (to.symbols.contains(name) || to.scalars.contains(name)) in_.fail(first, "there are two values. Remove one.");
      if (is_scalar)
        to.scalars[name] = in_.number("a number");
      else
        to.symbols[name] = in_.integer("an integer");
      in_.mark(at / (is_scalar ? "scalars" : "symbols") / name, first);
    } while (in_.take(","));
  }

  // Reads an order of outputs that differs from that of the parameters.
  void outputs() {
    std::vector<std::string> names;
    const Token first = in_.peek();
    do {
      const Token token = in_.peek();
      names.push_back(in_.name("a parameter with \"out\""));
      const std::vector<std::string>& known = program_.signature.outputs;
      if (in_.failed() || is_word_of(known, names.back())) continue;
      in_.fail(token, in_double_quotes(names.back()) + " has no \"out\" among the parameters." +
                          suggestion(names.back(), known));
    } while (in_.take(","));
    if (in_.failed()) return;
    if (names.size() != program_.signature.outputs.size())
      in_.fail(first, "each parameter with \"out\" stands here once.");
    program_.signature.outputs = std::move(names);
  }

  TextReader& in_;
  const FileReader& files_;
  const File* own_;
  Program program_ = {};
};

}  // namespace

std::pair<std::string, Signature> read_text_signature(TextReader& in) {
  const JsonPointer root;
  const Token first = in.peek();
  refuse_c(in);
  std::string name = in.name("the name of the program");
  in.mark(root / "name", first);
  Signature signature = SignatureReader(in, name).read(root / "signature");
  return {std::move(name), std::move(signature)};
}

Program read_text_program(TextReader& in, const FileReader& files, const File* own) {
  return ProgramReader(in, files, own).read();
}

}  // namespace kmux
