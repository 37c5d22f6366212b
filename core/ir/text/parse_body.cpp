#include <algorithm>

#include "kmux/plugin/word_list.h"

#include "ir/dispatch_form.h"
#include "ir/validate/validation.h"
#include "reader.h"

namespace kmux {
namespace {

const std::vector<std::string>& map_words() {
  static const auto& words =
      *new const std::vector<std::string>{"dims",         "strides_bytes", "element_strides",    "box",
                                          "lower_corner", "upper_corner",  "channels_per_pixel", "pixels_per_column",
                                          "interleave",   "swizzle",       "l2_promotion",       "oob_fill"};
  return words;
}

template <class Words>
std::vector<std::string> words_of(const Words& words) {
  return {words.begin(), words.end()};
}

// Reads the dtype of a tensor map, by its JSON name or by a dtype name of the text form.
TensorMapDType map_dtype(TextReader& in) {
  std::vector<std::string> words = words_of(kWords<TensorMapDType>);
  const Result<DType> type = parse_dtype(in.text_of(in.peek()));
  const auto found = type ? std::ranges::find(words, to_string(*type)) : words.end();
  if (found == words.end()) return static_cast<TensorMapDType>(in.word(words));
  in.take(in.peek().kind);
  return static_cast<TensorMapDType>(found - words.begin());
}

template <class T>
void read_word(TextReader& in, T& out) {
  out = static_cast<T>(in.word(words_of(kWords<T>)));
}

class BodyReader {
 public:
  BodyReader(TextReader& in, const Signature& signature) : in_(in), signature_(signature) {}

  Body read(const JsonPointer& at) {
    while (!in_.is(TokenKind::kDedent) && !in_.is(TokenKind::kEnd)) line(at);
    return std::move(body_);
  }

 private:
  // In the order of execution.
  enum Section { kLets, kAsserts, kWorkspaces, kMaps, kSteps };

  void line(const JsonPointer& at) {
    if (in_.is("let")) return declaration(kLets, body_.lets, at / "lets");
    if (in_.is("assert")) return declaration(kAsserts, body_.asserts, at / "asserts");
    if (in_.is("workspace")) return declaration(kWorkspaces, body_.workspaces, at / "workspaces");
    if (in_.is("map")) return declaration(kMaps, body_.tensor_maps, at / "tensor_maps");
    if (in_.is("launch") || in_.is("fill") || in_.is("if") || in_.is("for")) section_ = kSteps;
    read_text_step(in_, signature_, declared_, body_.steps, at / "steps");
  }

  template <class Item>
  void declaration(Section section, std::vector<Item>& items, const JsonPointer& at) {
    const Token first = in_.peek();
    constexpr const char* kNames[] = {"lets", "asserts", "workspaces", "maps", "steps"};
    if (section < section_) {
      in_.fail(std::string(kNames[section]) + " are before " + kNames[section_] +
               " (a call computes all of them first). Move this line up.");
    }
    section_ = std::max(section_, section);
    in_.take(TokenKind::kName);
    const JsonPointer here = at / items.size();
    read(items.emplace_back(), here, first);
    in_.mark(here, first, true);
    in_.end_line();
  }

  void read(Let& let, const JsonPointer& at, const Token& first) {
    let.name = in_.name("the name of the let");
    in_.mark(at / "name", first);
    in_.expect("=", "and a value");
    const Token value = in_.peek();
    let.value = in_.expr();
    in_.mark(at / "value", value);
  }

  void read(Assert& assertion, const JsonPointer& at, const Token&) {
    const Token condition = in_.peek();
    assertion.condition = in_.expr();
    in_.mark(at / "condition", condition);
    in_.expect(",", "and a message");
    assertion.message = in_.string("the message");
  }

  void read(Workspace& workspace, const JsonPointer& at, const Token&) {
    const Token name = in_.peek();
    workspace.name = in_.name("the name of the workspace");
    declared_.workspaces.insert(workspace.name);
    in_.mark(at / "name", name);
    workspace.bytes = in_.bytes(at / "bytes");
    const Token alignment = in_.peek();
    if (in_.take("align")) workspace.alignment_bytes = in_.integer("bytes, a power of two");
    in_.mark(at / "alignment_bytes", alignment);
  }

  void read(TensorMap& map, const JsonPointer& at, const Token& first) {
    const Token name = in_.peek();
    map.name = in_.name("the name of the tensor map");
    declared_.tensor_maps.insert(map.name);
    in_.mark(at / "name", name);
    in_.expect(":", "and the mode of the map");
    const bool is_tiled = in_.word({"tiled", "im2col"}) == 0;
    if (!is_tiled) map.mode = Im2colMap{};
    map.dtype = map_dtype(in_);
    in_.expect("over", "and what the map lies over");
    map.base = in_.memory(at / "base");
    std::vector<std::string> missing{"box"};
    if (!is_tiled) missing = {"lower_corner", "upper_corner", "channels_per_pixel", "pixels_per_column"};
    missing.emplace_back("dims");
    missing.emplace_back("strides_bytes");
    in_.attributes(at, map_words(), [&](const std::string& word) {
      std::erase(missing, word);
      return map_attribute(map, word);
    });
    fill_in_dims(map, missing);
    if (!missing.empty()) in_.fail(first, "the map has no " + join(missing) + ". Add it.");
  }

  bool map_attribute(TensorMap& map, const std::string& word) {
    if (word == "dims")
      map.dims = in_.exprs();
    else if (word == "strides_bytes")
      map.strides_bytes = in_.exprs();
    else if (word == "element_strides")
      map.element_strides = in_.integers();
    else if (word == "interleave")
      read_word(in_, map.interleave);
    else if (word == "swizzle")
      read_word(in_, map.swizzle);
    else if (word == "l2_promotion")
      read_word(in_, map.l2_promotion);
    else if (word == "oob_fill")
      read_word(in_, map.oob_fill);
    else
      return std::visit([&](auto& mode) { return this->mode_attribute(mode, word); }, map.mode);
    return true;
  }

  bool mode_attribute(TiledMap& tiled, const std::string& word) {
    if (word == "box") tiled.box = in_.integers();
    return word == "box";
  }

  bool mode_attribute(Im2colMap& im2col, const std::string& word) {
    if (word == "lower_corner")
      im2col.lower_corner = in_.integers();
    else if (word == "upper_corner")
      im2col.upper_corner = in_.integers();
    else if (word == "channels_per_pixel")
      im2col.channels_per_pixel = in_.integer("channels");
    else if (word == "pixels_per_column")
      im2col.pixels_per_column = in_.integer("pixels");
    else
      return false;
    return true;
  }

  void fill_in_dims(TensorMap& map, std::vector<std::string>& missing) {
    const Param* param = find_param(signature_, map.base.name);
    const BufferParam* buffer = param == nullptr ? nullptr : as_buffer(*param);
    const bool is_plain = buffer != nullptr && !buffer->strides && map.base.offset_bytes.is_constant(0);
    if (!is_plain || buffer->shape.size() > kMaxRank) return;  // bounds the depth of strides, products of extents
    if (std::erase(missing, "dims") > 0) map.dims = map_dims(*buffer);
    const auto strides = map_strides(*buffer);
    if (strides && std::erase(missing, "strides_bytes") > 0) map.strides_bytes = *strides;
  }

  TextReader& in_;
  const Signature& signature_;
  Body body_ = {};
  DeclaredMemory declared_ = {};
  Section section_ = kLets;
};

}  // namespace

Body read_text_body(TextReader& in, const Signature& signature, const JsonPointer& at) {
  return BodyReader(in, signature).read(at);
}

std::vector<Expr> map_dims(const BufferParam& buffer) { return {buffer.shape.rbegin(), buffer.shape.rend()}; }

std::optional<std::vector<Expr>> map_strides(const BufferParam& buffer) {
  if (total_bits(buffer.dtype) % 8 != 0) return std::nullopt;
  std::vector<Expr> strides;
  Expr stride = packed_bytes(buffer.dtype, 1);
  for (std::size_t i = buffer.shape.size(); i > 1; --i) {
    stride = simplify(buffer.shape[i - 1] * stride);
    strides.push_back(stride);
  }
  return strides;
}

}  // namespace kmux
