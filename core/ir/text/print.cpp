#include <algorithm>
#include <map>
#include <set>

#include "kmux/json.h"
#include "kmux/plugin/word_list.h"
#include "kmux/validate.h"

#include "ir/declared_parameters.h"
#include "ir/dispatch_form.h"
#include "reader.h"

namespace kmux {
namespace {

constexpr std::size_t kWidth = 110;  // of a line that can be divided

std::string quoted(const std::string& text) { return dump(Json(text)); }

// Returns the shortest text that reads back as the value, without the ".0" that JSON appends to whole numbers.
std::string number_text(double value) {
  const std::string text = dump(Json(value));
  return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
}

template <class Items, class Text>
std::vector<std::string> texts_of(const Items& items, const Text& text) {
  std::vector<std::string> texts;
  texts.reserve(items.size());
  for (const auto& item : items) texts.push_back(text(item));
  return texts;
}

template <class Items, class Text>
std::string list_of(const Items& items, const Text& text) {
  return join(texts_of(items, text));
}

std::string expr_list(const std::vector<Expr>& exprs) {
  return "[" + list_of(exprs, [](const Expr& expr) { return expr_text(expr); }) + "]";
}

std::string extents_text(const Extents& extents) {
  return extents.size() == 1 ? expr_text(extents[0]) : expr_list(extents);
}

std::string integers(const std::vector<std::int64_t>& values) {
  return "[" + list_of(values, [](std::int64_t value) { return std::to_string(value); }) + "]";
}

/// Prints shapes and strides. The type of a symbol is printed at its first use as a whole expression, else at its first
/// use.
class ShapeText {
 public:
  explicit ShapeText(const Signature& signature) {
    std::set<std::string> alone;
    for (const Param& param : signature.params) {
      const BufferParam* buffer = as_buffer(param);
      if (buffer == nullptr) continue;
      for (const auto& exprs : {buffer->shape, buffer->strides.value_or(std::vector<Expr>())}) {
        for (const Expr& expr : exprs) alone.insert(expr.is_symbol() ? expr.name() : "");
      }
    }
    for (const Symbol& symbol : signature.symbols) {
      if (symbol.dtype != dtype::kInt64) types_[symbol.name] = {symbol.dtype, alone.contains(symbol.name)};
    }
  }

  std::string list(const std::vector<Expr>& exprs) {
    const auto text = [this](const Expr& expr) {
      if (expr.is_symbol()) return typed(expr.name(), true);
      return expr_text(expr, [this](const std::string& name) { return typed(name, false); });
    };
    return "[" + list_of(exprs, text) + "]";
  }

 private:
  struct Type {
    DType dtype;
    bool stands_alone;
  };

  std::string typed(const std::string& name, bool is_alone) {
    const auto found = types_.find(name);
    if (found == types_.end() || (found->second.stands_alone && !is_alone)) return name;
    const std::string text = name + ": " + text_name(found->second.dtype);
    types_.erase(found);
    return is_alone ? text : "(" + text + ")";
  }

  std::map<std::string, Type> types_ = {};  // not printed yet
};

bool is_plain_kernel(const std::string& kernel) {
  const std::string before = "launch ";
  const Lexed line = lex(before + kernel + "<<<");
  const Token& name = line.tokens[std::min<std::size_t>(1, line.tokens.size() - 1)];
  return line.problems.empty() && name.kind == TokenKind::kKernel && name.begin == before.size() &&
         name.end == before.size() + kernel.size();
}

class Printer {
 public:
  Printer(const Program& program, std::string_view own_source, std::map<std::string, LineComments> comments)
      : program_(program), own_source_(own_source), comments_(std::move(comments)) {}

  std::string print() && {
    const JsonPointer root;
    const bool is_flat = program_.variants.size() == 1;
    head(root);
    constants(root / "constants");
    metadata(root / "metadata");
    for (std::size_t i = 0; i < program_.variants.size(); ++i) {
      const Variant& variant = program_.variants[i];
      const JsonPointer at = root / "variants" / i;
      if (!is_flat) line(at, 1, "variant " + variant.dialect);
      indent_ = is_flat ? 1 : 2;
      settings(variant, is_flat, at);
      variant_ = &variant;
      body(variant.body, at / "body");
    }
    for (const auto& [pointer, comments] : comments_)
      put(comments.above, 0, comments.behind);  // of lines that were not printed
    return std::move(text_);
  }

 private:
  void put(const std::vector<std::string>& above, int indent, const std::string& text) {
    const std::string blanks(static_cast<std::size_t>(2 * indent), ' ');
    for (const std::string& comment : above) text_ += blanks + comment + "\n";
    if (!text.empty()) text_ += blanks + text + "\n";
  }

  void line(const JsonPointer& at, int indent, const std::string& text) {
    const auto found = comments_.find(at.text());
    if (found == comments_.end()) return put({}, indent, text);
    const std::string& behind = found->second.behind;
    put(found->second.above, indent, text + (behind.empty() ? "" : "  ") + behind);
    comments_.erase(found);
  }

  // Returns `items` between `head` and `tail`, in one line if they fit. Else one item per line with `each`, or as many
  // per line as fit.
  static std::string divided(int indent, std::string head, const std::vector<std::string>& items,
                             const std::string& tail, bool each) {
    std::string one = head + join(items) + tail;
    if (one.size() + static_cast<std::size_t>(2 * indent) <= kWidth || items.empty()) return one;
    const std::string begin = "\n" + std::string(static_cast<std::size_t>(2 * indent + 4), ' ');
    std::size_t width = static_cast<std::size_t>(2 * indent) + head.size();  // of the current line
    for (const std::string& item : items) {
      const bool is_last = &item == &items.back();
      const std::string text = item + (is_last ? tail : ",");
      if (each || width + text.size() + 1 > kWidth) {
        head += begin;
        width = begin.size();
      } else if (&item != items.data()) {
        head += " ";
      }
      head += text;
      width += text.size() + 1;
    }
    return head;
  }

  void head(const JsonPointer& root) {
    const std::vector<Variant>& variants = program_.variants;
    const bool is_kernel = variants.size() == 1 && variants[0].body.steps.size() == 1 &&
                           std::holds_alternative<Launch>(variants[0].body.steps[0]);
    ShapeText shapes(program_.signature);
    const auto params =
        texts_of(program_.signature.params, [&](const Param& param) { return this->param(param, shapes); });
    line(root, 0, divided(0, (is_kernel ? "kernel " : "program ") + program_.name + "(", params, ")", true));
    std::vector<std::string> outputs;
    for (const Param& param : program_.signature.params) {
      if (is_output(program_.signature, param.name)) outputs.push_back(param.name);
    }
    if (outputs != program_.signature.outputs) {
      line(root / "metadata" / "returns", 1, "returns " + join(program_.signature.outputs));
    }
  }

  std::string param(const Param& param, ShapeText& shapes) const {
    const std::string named = param.name + ": ";
    if (is_pointer(param)) return named + "pointer";
    if (const ScalarParam* scalar = as_scalar(param)) return named + text_name(scalar->dtype);
    const BufferParam& buffer = *as_buffer(param);
    std::string text = is_output(program_.signature, param.name) ? "out " : buffer.inout ? "inout " : "";
    text += named + text_name(buffer.dtype) + shapes.list(buffer.shape);
    if (buffer.strides) text += " strides " + shapes.list(*buffer.strides);
    if (buffer.alignment_bytes != 0) text += " align " + std::to_string(buffer.alignment_bytes);
    return text + (buffer.nullable ? " nullable" : "");
  }

  void constants(const JsonPointer& at) {
    for (std::size_t i = 0; i < program_.constants.size(); ++i) {
      const Constant& constant = program_.constants[i];
      const std::string name = is_identifier(constant.name) ? constant.name : quoted(constant.name);
      line(at / i, 1,
           "constant " + name + ": " + text_name(constant.dtype) +
               (constant.shape.empty() ? "" : integers(constant.shape)) + (constant.initialised ? " initialised" : ""));
    }
  }

  void metadata(const JsonPointer& at) {
    const Metadata& from = program_.metadata;
    const auto text = [&](const char* word, const std::string& value) {
      if (!value.empty()) line(at / word, 1, std::string(word) + " " + quoted(value));
    };
    text("description", from.description);
    text("origin", from.origin);
    text("reference", from.reference);
    std::vector<std::string> examples;
    examples.reserve(from.symbols.size() + from.scalars.size());
    for (const auto& [name, value] : from.symbols) examples.push_back(name + " = " + std::to_string(value));
    for (const auto& [name, value] : from.scalars) examples.push_back(name + " = " + number_text(value));
    if (!examples.empty()) line(at / "example", 1, "example " + join(examples));
    if (from.flops) line(at / "flops", 1, "flops " + expr_text(*from.flops));
    if (from.bytes) line(at / "bytes", 1, "bytes " + expr_text(*from.bytes));
  }

  void settings(const Variant& variant, bool is_flat, const JsonPointer& at) {
    const bool says_dialect =
        dialect_of_file(variant.sources.empty() ? "" : variant.sources[0].path) != variant.dialect;
    if (is_flat && says_dialect) line(at / "dialect", indent_, "dialect " + variant.dialect);
    const auto texts = [&](const JsonPointer& here, const std::string& word, const auto& values) {
      if (!values.empty()) line(here, indent_, word + " " + list_of(values, quoted));
    };
    const auto paths = [&](const char* word, const std::vector<File>& files) {
      const auto path = [](const File& file) { return quoted(file.path); };
      if (!files.empty()) line(at / word, indent_, std::string(word) + " " + list_of(files, path));
    };
    texts(at / "requires" / "arch", "requires arch", variant.requirements.arch);
    texts(at / "requires" / "features", "requires features", variant.requirements.features);
    if (variant.sources.size() != 1 || variant.sources[0].path != own_source_) paths("sources", variant.sources);
    paths("headers", variant.headers);
    const Settings& from = variant.settings;
    const JsonPointer here = at / "settings";
    if (!from.standard.empty()) line(here / "standard", indent_, "standard " + quoted(from.standard));
    texts(here / "defines", "defines", from.defines);
    texts(here / "preludes", "preludes", from.preludes);
    texts(here / "include_hints", "include_hints", from.include_hints);
    texts(here / "python_requires", "python_requires", from.python_requires);
    texts(here / "compile_flags", "compile_flags", from.compile_flags);
    if (from.fast_math) line(here / "fast_math", indent_, "fast_math");
  }

  template <class Items, class Text>
  void declarations(const Items& items, const JsonPointer& at, const Text& text) {
    for (std::size_t i = 0; i < items.size(); ++i) line(at / i, indent_, text(items[i]));
  }

  void body(const Body& body, const JsonPointer& at) {
    declarations(body.lets, at / "lets",
                 [&](const Let& let) { return "let " + let.name + " = " + expr_text(let.value); });
    declarations(body.asserts, at / "asserts", [&](const Assert& assertion) {
      return "assert " + expr_text(assertion.condition) + ", " + quoted(assertion.message);
    });
    declarations(body.workspaces, at / "workspaces", [&](const Workspace& workspace) {
      const std::string alignment = workspace.alignment_bytes == Workspace{}.alignment_bytes
                                        ? ""
                                        : " align " + std::to_string(workspace.alignment_bytes);
      return "workspace " + workspace.name + ": " + expr_text(workspace.bytes) + " bytes" + alignment;
    });
    declarations(body.tensor_maps, at / "tensor_maps", [&](const TensorMap& map) { return this->map(map); });
    steps(body.steps, at / "steps", indent_);
  }

  std::string memory(const std::string& name, const Expr& offset_bytes) const {
    return offset_bytes.is_constant(0) ? name : name + " offset " + expr_text(offset_bytes);
  }

  std::string map(const TensorMap& map) const {
    const std::string_view word = kWords<TensorMapDType>[static_cast<std::size_t>(map.dtype)];
    const Result<DType> dtype = parse_dtype(word);
    const bool is_tiled = std::holds_alternative<TiledMap>(map.mode);
    std::string text = "map " + map.name + ": " + (is_tiled ? "tiled " : "im2col ");
    text += (dtype ? text_name(*dtype) : std::string(word)) + " over " + memory(map.base.name, map.base.offset_bytes);
    const Param* param = find_param(program_.signature, map.base.name);
    const BufferParam* buffer = param == nullptr ? nullptr : as_buffer(*param);
    if (buffer != nullptr && (buffer->strides || !map.base.offset_bytes.is_constant(0))) buffer = nullptr;
    if (buffer == nullptr || map.dims != map_dims(*buffer)) text += " dims " + expr_list(map.dims);
    if (buffer == nullptr || map.strides_bytes != map_strides(*buffer))
      text += " strides_bytes " + expr_list(map.strides_bytes);
    if (!map.element_strides.empty()) text += " element_strides " + integers(map.element_strides);
    std::visit([&](const auto& mode) { text += this->mode(mode); }, map.mode);
    const auto setting = [&](const char* name, auto value) {
      if (value != decltype(value){})
        text.append(" ").append(name).append(" ").append(kWords<decltype(value)>[static_cast<std::size_t>(value)]);
    };
    setting("interleave", map.interleave);
    setting("swizzle", map.swizzle);
    setting("l2_promotion", map.l2_promotion);
    setting("oob_fill", map.oob_fill);
    return text;
  }

  static std::string mode(const TiledMap& tiled) { return " box " + integers(tiled.box); }
  static std::string mode(const Im2colMap& im2col) {
    return " lower_corner " + integers(im2col.lower_corner) + " upper_corner " + integers(im2col.upper_corner) +
           " channels_per_pixel " + std::to_string(im2col.channels_per_pixel) + " pixels_per_column " +
           std::to_string(im2col.pixels_per_column);
  }

  void steps(const std::vector<Step>& list, const JsonPointer& at, int indent) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      std::visit([&](const auto& step) { this->step(step, at / i, indent); }, list[i]);
    }
  }

  void block(const std::vector<Step>& list, const JsonPointer& at, int indent) {
    if (list.empty()) line(at / "pass", indent, "pass");
    steps(list, at, indent);
  }

  void step(const Fill& fill, const JsonPointer& at, int indent) {
    std::string text =
        "fill " + memory(fill.target.name, fill.target.offset_bytes) + ": " + expr_text(fill.bytes) + " bytes";
    line(at, indent, text + (fill.value == 0 ? "" : " value " + std::to_string(fill.value)));
  }

  void step(const If& guard, const JsonPointer& at, int indent) { this->guard(guard, at, indent, "if "); }

  void guard(const If& guard, const JsonPointer& at, int indent, const std::string& word) {
    line(at, indent, word + expr_text(guard.condition));
    block(guard.then_steps, at / "if" / "then", indent + 1);
    if (guard.else_steps.empty()) return;
    const JsonPointer there = at / "if" / "else";
    const If* other = guard.else_steps.size() == 1 ? std::get_if<If>(&guard.else_steps[0]) : nullptr;
    if (other != nullptr) return this->guard(*other, there / std::size_t{0}, indent, "else if ");
    line(there, indent, "else");
    block(guard.else_steps, there, indent + 1);
  }

  void step(const For& loop, const JsonPointer& at, int indent) {
    line(at, indent, "for " + loop.variable + " in " + expr_text(loop.begin) + " .. " + expr_text(loop.end));
    block(loop.steps, at / "for" / "steps", indent + 1);
  }

  void step(const Launch& launch, const JsonPointer& at, int indent) {
    std::string head = "launch " + (is_plain_kernel(launch.kernel) ? launch.kernel : quoted(launch.kernel));
    const bool has_memory = !launch.dynamic_smem_bytes.is_constant(0);
    if (!launch.grid.empty() || !launch.block.empty() || has_memory) {
      head += "<<<" + extents_text(launch.grid) + ", " + extents_text(launch.block);
      head += (has_memory ? ", " + expr_text(launch.dynamic_smem_bytes) : "") + ">>>";
    }
    const std::vector<DType> untyped = untyped_integers(*variant_, launch);
    std::vector<std::string> args;
    for (std::size_t i = 0; i < launch.args.size(); ++i) {
      const auto* const value = std::get_if<ExprArg>(&launch.args[i]);
      args.push_back(value != nullptr ? integer(*value, untyped[i]) : argument(launch.args[i]));
    }
    line(at, indent, divided(indent, head + "(", args, ")" + attributes(launch), false));
  }

  std::string attributes(const Launch& launch) const {
    std::string text;
    if (!launch.cluster.empty()) text += " cluster " + extents_text(launch.cluster);
    if (launch.cooperative) text += " cooperative";
    if (launch.programmatic_serialization) text += " programmatic_serialization";
    for (const L2Window& window : launch.l2_windows) {
      text += " l2_window " + window.buffer + ": " + expr_text(window.bytes) + " bytes";
      if (window.hit_ratio != L2Window{}.hit_ratio) text += " hit_ratio " + number_text(window.hit_ratio);
    }
    if (launch.returns == CallResult::kInt32) text += " returns int32";
    return text + (launch.packed_values ? " packed_values" : "");
  }

  std::string argument(const LaunchArg& arg) const {
    return std::visit([&](const auto& kind) { return this->arg(kind); }, arg);
  }
  std::string arg(const StructArg& arg) const {
    const std::string members = list_of(arg.members, [this](const LaunchArg& one) { return argument(one); });
    return "{" + members + (arg.alignment_bytes == 0 ? "}" : "} align " + std::to_string(arg.alignment_bytes));
  }
  std::string arg(const TensorArg& arg) const { return memory(arg.param, arg.offset_bytes); }
  std::string arg(const WorkspaceArg& arg) const { return memory(arg.workspace, arg.offset_bytes); }
  std::string arg(const ScalarArg& arg) const { return arg.param; }
  std::string arg(const TensorMapArg& arg) const { return "map " + arg.tensor_map; }
  std::string arg(const ExprArg& arg) const { return integer(arg, dtype::kInt32); }
  // Omits the type if it is int32 and an integer without a type would be read as int32.
  std::string integer(const ExprArg& arg, DType untyped) const {
    const bool is_parameter = arg.value.is_symbol() && find_param(program_.signature, arg.value.name()) != nullptr;
    const bool has_type = is_parameter || arg.dtype != dtype::kInt32 || untyped != dtype::kInt32;
    return expr_text(arg.value) + (has_type ? ": " + text_name(arg.dtype) : "");
  }

  const Program& program_;
  const Variant* variant_ = nullptr;  // the current one
  std::string_view own_source_;
  std::map<std::string, LineComments> comments_;
  int indent_ = 1;  // of the lines of a variant
  std::string text_;
};

}  // namespace

std::string print_text(const Program& program, std::string_view own_source,
                       std::map<std::string, LineComments> comments) {
  return Printer(program, own_source, std::move(comments)).print();
}

std::string to_text(const Program& program) { return print_text(program, "", {}); }

}  // namespace kmux
