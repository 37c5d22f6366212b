#include <algorithm>
#include <limits>

#include "kmux/plugin/quoting.h"

#include "ir/declared_parameters.h"
#include "ir/validate/validation.h"
#include "reader.h"

namespace kmux {
namespace {

constexpr int kMaxLevels = 2 * kMaxStepDepth;  // protects the stack; `validate` checks the limit of programs

const std::vector<std::string>& launch_words() {
  static const auto& words = *new const std::vector<std::string>{
      "cluster", "cooperative", "programmatic_serialization", "l2_window", "returns", "packed_values"};
  return words;
}

/// Reads one step with its blocks.
class StepReader {
 public:
  StepReader(TextReader& in, const Signature& signature, const DeclaredMemory& declared)
      : in_(in), signature_(signature), declared_(declared) {}

  void step(std::vector<Step>& list, const JsonPointer& at, int depth) {
    const Token first = in_.peek();
    const JsonPointer here = at / list.size();
    if (depth > kMaxLevels) {
      in_.fail("the steps are nested deeper than " + std::to_string(kMaxStepDepth) + " levels. Flatten them.");
      in_.end_line();
      return in_.skip_block();
    }
    if (in_.is(TokenKind::kIndent)) {
      in_.problem(in_.peek(1), "the line is indented further than the one above. Indent it as that one.");
      return block(list, at, depth);
    }
    if (in_.take("launch")) return launch(list, here, first);
    if (in_.take("fill")) return fill(list, here, first);
    if (in_.take("if")) return guard(list, here, first, depth);
    if (in_.take("for")) return loop(list, here, first, depth);
    unknown_line(first);
    in_.end_line();
    std::vector<Step> unknown;  // its block is read only to report further problems
    if (in_.is(TokenKind::kIndent)) block(unknown, here, depth);
  }

  void list(std::vector<LaunchArg>& args, const JsonPointer& at, int depth = 0) {
    do {
      const Token first = in_.peek();
      const JsonPointer here = at / args.size();
      args.push_back(argument(here, depth));
      in_.mark(here, first);
    } while (in_.take(","));
  }

 private:
  /// Reads the indented lines after the current one.
  void block(std::vector<Step>& list, const JsonPointer& at, int depth) {
    if (!in_.take(TokenKind::kIndent)) {
      in_.expected("an indented line, or \"pass\" in one");
      in_.end_line();
      return;
    }
    const Token first = in_.peek();
    if (in_.take("pass")) {
      in_.mark(at / "pass", first, true);
      in_.end_line();
    }
    while (!in_.is(TokenKind::kDedent) && !in_.is(TokenKind::kEnd)) step(list, at, depth + 1);
    in_.take(TokenKind::kDedent);
  }

  void fill(std::vector<Step>& list, const JsonPointer& at, const Token& first) {
    Fill fill;
    fill.target = in_.memory(at / "fill" / "target");
    fill.bytes = in_.bytes(at / "fill" / "bytes");
    const Token value = in_.peek(1);
    const std::int64_t byte = in_.take("value") ? in_.integer("a byte, 0 to 255") : 0;
    if (byte < 0 || byte > std::numeric_limits<std::uint8_t>::max())
      in_.fail(value, "a byte is 0 to 255. Correct the value.");
    fill.value = static_cast<std::uint8_t>(byte);
    finish(list, std::move(fill), at, first);
  }

  void finish(std::vector<Step>& list, Step step, const JsonPointer& at, const Token& first) {
    in_.mark(at, first, true);
    in_.end_line();
    list.push_back(std::move(step));
  }

  void guard(std::vector<Step>& list, const JsonPointer& at, const Token& first, int depth) {
    If guard;
    const Token condition = in_.peek();
    guard.condition = in_.expr();
    in_.mark(at / "if" / "condition", condition);
    in_.mark(at, first, true);
    in_.end_line();
    block(guard.then_steps, at / "if" / "then", depth);
    const Token otherwise = in_.peek();
    const JsonPointer there = at / "if" / "else";
    if (in_.take("else")) {
      if (in_.is("if")) {
        step(guard.else_steps, there, depth + 1);
      } else {
        in_.mark(there, otherwise, true);
        in_.end_line();
        block(guard.else_steps, there, depth);
      }
    }
    list.emplace_back(std::move(guard));
  }

  void loop(std::vector<Step>& list, const JsonPointer& at, const Token& first, int depth) {
    For loop;
    const Token variable = in_.peek();
    loop.variable = in_.name("the variable of the loop");
    in_.mark(at / "for" / "variable", variable);
    in_.expect("in", "and a range: 0 .. n");
    loop.begin = in_.expr();
    in_.expect("..", "and the end of the range");
    loop.end = in_.expr();
    in_.mark(at, first, true);
    in_.end_line();
    block(loop.steps, at / "for" / "steps", depth);
    list.emplace_back(std::move(loop));
  }

  void launch(std::vector<Step>& list, const JsonPointer& at, const Token& first) {
    Launch launch;
    const JsonPointer here = at / "launch";
    const Token kernel = in_.peek();
    if (in_.is(TokenKind::kString)) {
      launch.kernel = in_.string("the kernel");
    } else if (in_.take(TokenKind::kKernel)) {
      launch.kernel = std::string(in_.text_of(kernel));
    } else {
      in_.expected("the name of a kernel");
    }
    in_.mark(here / "kernel", kernel);
    if (in_.is("<<")) in_.fail("a launch has <<<grid, block>>> in three brackets. Add one.");
    if (in_.take("<<<")) extents(launch, here);
    if (in_.expect("(", "and arguments")) arguments(launch, here / "args");
    in_.attributes(here, launch_words(), [&](const std::string& word) { return launch_attribute(launch, word, here); });
    finish(list, std::move(launch), at, first);
  }

  void extents(Launch& launch, const JsonPointer& at) {
    const auto part = [&](const char* key, auto& out, auto read) {
      const Token first = in_.peek();
      out = read();
      in_.mark(at / key, first);
    };
    part("grid", launch.grid, [&] { return in_.extents(); });
    if (in_.expect(",", "and a block")) part("block", launch.block, [&] { return in_.extents(); });
    if (in_.take(",")) part("dynamic_smem_bytes", launch.dynamic_smem_bytes, [&] { return in_.expr(); });
    in_.expect(">>>", "");
  }

  void arguments(Launch& launch, const JsonPointer& at) {
    if (in_.take(")")) return;
    list(launch.args, at);
    in_.expect(")", "or ','");
  }

  // Returns true if the argument ends at this token. Arguments without brackets end with the line.
  bool ends_argument(std::size_t ahead) const {
    return in_.is(",", ahead) || in_.is(")", ahead) || in_.is("}", ahead) || in_.is(TokenKind::kNewline, ahead);
  }

  // Reads members up to a brace; `validate` checks the limit of programs.
  LaunchArg structure(const JsonPointer& at, int depth) {
    StructArg record;
    if (depth > 2 * kMaxStructDepth) {
      in_.fail("structures are nested deeper than " + std::to_string(kMaxStructDepth) + " levels. Flatten them.");
      return record;
    }
    if (!in_.is("}")) list(record.members, at / "struct", depth + 1);
    in_.expect("}", "or ','");
    const Token first = in_.peek(1);
    if (in_.take("align")) {
      record.alignment_bytes = in_.integer("an alignment in bytes");
      in_.mark(at / "align", first);
    }
    return record;
  }

  LaunchArg argument(const JsonPointer& at, int depth) {
    if (in_.take("{")) return structure(at, depth);
    if (in_.is("map") && in_.is(TokenKind::kName, 1) && ends_argument(2)) {
      in_.take("map");
      return TensorMapArg{in_.name("a tensor map")};
    }
    if (in_.is(TokenKind::kName) && (ends_argument(1) || in_.is("offset", 1))) return named(at);
    ExprArg value{in_.expr(), kUntypedInteger};
    if (in_.take(":")) value.dtype = in_.dtype("the type of the kernel's parameter");
    return value;
  }

  // Reads a bare name; its declaration determines the kind of argument.
  LaunchArg named(const JsonPointer& at) {
    std::string name = in_.name("an argument");
    const Param* param = find_param(signature_, name);
    const bool is_workspace = declared_.workspaces.contains(name);
    const bool is_memory = is_workspace || (param != nullptr && as_scalar(*param) == nullptr);
    if (in_.is("offset") && !is_memory) {
      in_.fail(in_double_quotes(name) + " has no offset (it is not a buffer, pointer or workspace). Remove it.");
    }
    Expr offset_bytes = in_.take("offset") ? in_.offset(at) : Expr(0);
    if (is_workspace) return WorkspaceArg{std::move(name), std::move(offset_bytes)};
    if (is_memory) return TensorArg{std::move(name), std::move(offset_bytes)};
    if (param != nullptr) return ScalarArg{std::move(name)};
    if (const auto found = in_.complex_scalars().find(name); found != in_.complex_scalars().end()) {
      return complex_scalar(*found);
    }
    if (declared_.tensor_maps.contains(name)) return TensorMapArg{std::move(name)};
    return ExprArg{Expr::symbol(std::move(name)), kUntypedInteger};
  }

  /// Returns the structure of both parts, aligned as CUDA's complex types are.
  static LaunchArg complex_scalar(const ComplexScalars::value_type& scalar) {
    StructArg both{.alignment_bytes = scalar.second.bits / 8};
    for (std::string& part : complex_parts(scalar.first)) both.members.emplace_back(ScalarArg{std::move(part)});
    return both;
  }

  bool launch_attribute(Launch& launch, const std::string& word, const JsonPointer& at) {
    if (word == "cluster")
      launch.cluster = in_.extents();
    else if (word == "cooperative")
      launch.cooperative = true;
    else if (word == "programmatic_serialization")
      launch.programmatic_serialization = true;
    else if (word == "packed_values")
      launch.packed_values = true;
    else if (word == "returns")
      launch.returns = static_cast<CallResult>(in_.word({"void", "int32"}));
    else if (word == "l2_window")
      l2_window(launch, at / "l2_windows" / launch.l2_windows.size());
    else
      return false;
    return true;
  }

  void l2_window(Launch& launch, const JsonPointer& at) {
    const Token first = in_.peek();
    L2Window& window = launch.l2_windows.emplace_back();
    window.buffer = in_.name("a buffer");
    window.bytes = in_.bytes(at / "bytes");
    if (in_.take("hit_ratio")) window.hit_ratio = in_.number("a number from 0 to 1");
    in_.mark(at, first);
  }

  void unknown_line(const Token& first) {
    const std::string word(in_.text_of(first));
    const auto is_one_of = [&](const std::vector<std::string>& words) {
      return std::ranges::find(words, word) != words.end();
    };
    if (is_one_of({"let", "assert", "workspace", "map"})) {
      in_.fail("a " + word + " cannot stand in a block (it is done once a call). Move it before the steps.");
    } else if (is_one_of(head_words())) {
      in_.fail("\"" + word + "\" stands before lets, asserts, workspaces, maps and steps. Move it up.");
    } else {
      std::vector<std::string> known = head_words();
      known.insert(known.end(), body_words().begin(), body_words().end());
      in_.expected("a step: launch, fill, if or for", known);
    }
  }

  TextReader& in_;
  const Signature& signature_;
  const DeclaredMemory& declared_;
};

}  // namespace

const std::vector<std::string>& body_words() {
  static const auto& words = *new const std::vector<std::string>{"let",  "assert", "workspace", "map",  "launch",
                                                                 "fill", "if",     "for",       "pass", "variant"};
  return words;
}

const std::vector<std::string>& variant_words() {
  static const auto& words = *new const std::vector<std::string>{
      "dialect", "requires",        "standard",      "defines",   "preludes", "include_hints",
      "sources", "python_requires", "compile_flags", "fast_math", "headers"};
  return words;
}

const std::vector<std::string>& metadata_words() {
  static const auto& words = *new const std::vector<std::string>{"constant", "description", "origin", "reference",
                                                                 "example",  "flops",       "bytes",  "returns"};
  return words;
}

const std::vector<std::string>& head_words() {
  static const auto& words = *new const std::vector<std::string>([] {
    std::vector<std::string> all = metadata_words();
    all.insert(all.end(), variant_words().begin(), variant_words().end());
    return all;
  }());
  return words;
}

void read_text_arguments(TextReader& in, const Signature& signature) {
  std::vector<LaunchArg> args;
  StepReader(in, signature, {}).list(args, JsonPointer());
}

void read_text_step(TextReader& in, const Signature& signature, const DeclaredMemory& declared,
                    std::vector<Step>& steps, const JsonPointer& at) {
  StepReader(in, signature, declared).step(steps, at, 1);
}

}  // namespace kmux
