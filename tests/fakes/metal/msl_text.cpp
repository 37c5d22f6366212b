#include "msl_text.h"

#include <cctype>
#include <cstdlib>
#include <optional>
#include <utility>

#include "kmux/plugin/characters.h"

namespace kmux::fake_metal {
namespace {

struct Token {
  std::string text;
  bool is_blank = false;  // whitespace, comments, preprocessor lines
};

std::size_t end_of_token(std::string_view text, std::size_t at, bool at_line_begin) {
  const char c = text[at];
  const std::string_view rest = text.substr(at);
  const auto until = [&](std::string_view mark, std::size_t from) {
    const std::size_t found = rest.find(mark, from);
    return found == std::string_view::npos ? text.size() : at + found + mark.size();
  };
  if (c == '#' && at_line_begin) {
    std::size_t end = rest.find('\n');
    while (end != std::string_view::npos && rest[end - 1] == '\\') end = rest.find('\n', end + 1);
    return end == std::string_view::npos ? text.size() : at + end;
  }
  if (rest.starts_with("//")) return std::min(until("\n", 2), text.size());
  if (rest.starts_with("/*")) return until("*/", 2);
  if (c == '"') return until("\"", 1);
  if (rest.starts_with("[[") || rest.starts_with("]]")) return at + 2;
  if (std::isspace(static_cast<unsigned char>(c)) != 0) return at + 1;
  if (!is_name_character(c)) return at + 1;
  std::size_t end = at;
  while (end < text.size() && is_name_character(text[end])) ++end;
  return end;
}

std::vector<Token> tokens_of(std::string_view text) {
  std::vector<Token> tokens;
  bool at_line_begin = true;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = end_of_token(text, at, at_line_begin);
    std::string token(text.substr(at, end - at));
    const bool is_space = std::isspace(static_cast<unsigned char>(token[0])) != 0;
    const bool is_line = token[0] == '#' && at_line_begin;
    const bool is_comment = token.starts_with("//") || token.starts_with("/*");
    at_line_begin = token.back() == '\n' || (at_line_begin && is_space);
    tokens.push_back({std::move(token), is_space || is_line || is_comment});
    at = end;
  }
  return tokens;
}

class Translation {
 public:
  explicit Translation(std::string_view msl) : tokens_(tokens_of(msl)) {}

  MslText run() {
    while (at_ < tokens_.size()) step();
    out_ += "\n";
    std::string sizes;
    for (const MslKernel& kernel : kernels_) {
      out_ += call_of(kernel);
      sizes += " *out++ = KMUX_MSL_SHARED_BY(" + kernel.name + ");";
    }
    out_ += "KMUX_MSL_SIZES(" + sizes + ")\n";
    return {std::move(out_), std::move(kernels_), has_constants_};
  }

 private:
  const std::string& text(std::size_t at) const {
    static const std::string kEnd;
    return at < tokens_.size() ? tokens_[at].text : kEnd;
  }
  std::size_t next(std::size_t at) const {
    for (++at; at < tokens_.size() && tokens_[at].is_blank; ++at) {
    }
    return at;
  }

  void step() {
    const std::string& word = text(at_);
    if (word == "[[") {
      const std::string attribute = skip_attribute();
      if (attribute.starts_with("kernel")) begin_kernel(attribute);
    } else if (word == "kernel") {
      ++at_;
      begin_kernel("");
    } else if (word == "threadgroup") {
      if (is_shared_variable()) append_shared();
      ++at_;
    } else if (word == "constant") {
      append_constant();
    } else {
      out_ += word;
      ++at_;
    }
  }

  // Skips `[[...]]` except its line ends; returns its content.
  std::string skip_attribute() {
    std::string inside;
    for (++at_; at_ < tokens_.size() && text(at_) != "]]"; ++at_) {
      if (text(at_) == "\n") out_ += "\n";
      if (!tokens_[at_].is_blank) inside += text(at_);
    }
    ++at_;
    return inside;
  }

  // Returns true if the declaration is of shared memory of a group: neither pointer nor reference.
  bool is_shared_variable() const {
    for (std::size_t at = next(at_); at < tokens_.size(); at = next(at)) {
      const std::string& word = text(at);
      if (word == "*" || word == "&" || word == ")" || word == "(" || word == "=" || word == "]]") return false;
      if (word == ";" || word == ",") return true;
    }
    return false;
  }

  // Appends `threadgroup T A[M], B;` without its end, and registers these with the kernel. Only a kernel may declare
  // such variables.
  void append_shared() {
    std::vector<std::string> names;
    std::string name;
    int depth = 0;
    out_ += "__shared__";
    for (++at_; at_ < tokens_.size(); ++at_) {
      const std::string& word = text(at_);
      out_ += word;
      if (word == "[" || word == ",") {
        if (depth == 0 && !name.empty()) names.push_back(std::exchange(name, ""));
      }
      depth += word == "[" ? 1 : word == "]" ? -1 : 0;
      if (depth == 0 && is_name_character(word[0]) && !tokens_[at_].is_blank) name = word;
      if (word == ";") break;
    }
    if (!name.empty()) names.push_back(name);
    if (kernels_.empty()) return;
    for (const std::string& shared : names) {
      out_ += " KMUX_MSL_SHARED(" + kernels_.back().name + ", " + shared + ");";
    }
  }

  // `constant T NAME [[function_constant(I)]];` is a constant that is known before the library is compiled for it.
  void append_constant() {
    std::string type, name;
    std::size_t at = next(at_);
    for (; at < tokens_.size() && text(at) != ";" && text(at) != "[[" && text(at) != ")"; at = next(at)) {
      type += name.empty() ? "" : name + " ";
      name = text(at);
    }
    if (text(at) != "[[" || text(next(at)) != "function_constant") {
      out_ += "const";
      ++at_;
      return;
    }
    const std::string index = text(next(next(next(at))));
    at_ = at;
    skip_attribute();
    out_ += "static const " + type + name + " = kmux_msl::constant<" + type + ">(" + index + ", \"" + name + "\")";
    has_constants_ = true;
  }

  void begin_kernel(const std::string& attribute) {
    MslKernel kernel;
    const std::string limit = "max_total_threads_per_threadgroup(";
    if (const std::size_t found = attribute.find(limit); found != std::string::npos) {
      kernel.max_threads = static_cast<unsigned>(std::atoi(attribute.c_str() + found + limit.size()));
    }
    std::string before;
    while (at_ < tokens_.size() && text(at_) != "(") {
      if (!tokens_[at_].is_blank) kernel.name = text(at_);
      before += text(at_++);
    }
    out_ += "struct KMUX_MSL_NAME(" + kernel.name + "); " + before;
    append_parameters(kernel);
    kernels_.push_back(std::move(kernel));
  }

  void append_parameters(MslKernel& kernel) {
    int depth = 0;
    while (at_ < tokens_.size()) {
      const std::string word = text(at_);
      if (word == "[[") {
        kernel.arguments.push_back(argument_of(skip_attribute()));
        continue;
      }
      depth += word == "(" ? 1 : word == ")" ? -1 : 0;
      out_ += word == "threadgroup" ? "" : word == "constant" ? "const" : word;
      ++at_;
      if (depth == 0) return;
    }
  }

  static MslKernel::Argument argument_of(const std::string& attribute) {
    const std::size_t open = attribute.find('(');
    if (open == std::string::npos) return {attribute, 0};
    return {attribute.substr(0, open), static_cast<unsigned>(std::atoi(attribute.c_str() + open + 1))};
  }

  static std::string call_of(const MslKernel& kernel) {
    std::string text =
        "KMUX_GRID_KERNEL(fake_kernel_" + kernel.name + ", kmux_msl::Call<" + kernel.name + ">::run(launch";
    for (const MslKernel::Argument& argument : kernel.arguments) {
      text += ", kmux_msl::" + argument.attribute + "{" + std::to_string(argument.index) + "}";
    }
    return text + "))\n";
  }

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::string out_;
  bool has_constants_ = false;
  std::vector<MslKernel> kernels_;
};

}  // namespace

MslText translate(std::string_view msl) { return Translation(msl).run(); }

}  // namespace kmux::fake_metal
