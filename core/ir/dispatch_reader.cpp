#include <algorithm>
#include <limits>
#include <type_traits>

#include "kmux/plugin/quoting.h"
#include "kmux/plugin/sha256.h"
#include "kmux/plugin/word_list.h"

#include "dispatch_form.h"
#include "expr_json.h"

namespace kmux {
namespace {

template <class Words>
std::vector<std::string> strings(const Words& words) {
  return {words.begin(), words.end()};
}

template <class Member>
void add_keys(std::vector<std::string>& keys, const Required<Member>& field) {
  keys.emplace_back(field.key);
}
template <class Member>
void add_keys(std::vector<std::string>& keys, const Optional<Member>& field) {
  keys.emplace_back(field.key);
}
template <class Member, std::size_t N>
void add_keys(std::vector<std::string>& keys, const OneOf<Member, N>& field) {
  keys.insert(keys.end(), field.keys.begin(), field.keys.end());
}

template <Record T>
std::vector<std::string> keys_of() {
  std::vector<std::string> keys;
  std::apply([&](const auto&... field) { (add_keys(keys, field), ...); }, kForm<T>);
  return keys;
}

// Sets `value` to alternative number `index`, filled by `read`. Not filled in place: GCC 12 at -O2 would take the write
// of one alternative for an out-of-bounds write of another.
template <std::size_t I = 0, class Alternatives, class Read>
void emplace_alternative(Alternatives& value, std::size_t index, const Read& read) {
  if constexpr (I < std::variant_size_v<Alternatives>) {
    if (index != I) return emplace_alternative<I + 1>(value, index, read);
    std::variant_alternative_t<I, Alternatives> alternative{};
    read(alternative);
    value = std::move(alternative);
  }
}

// The place of a dtype in record `T`.
template <class T>
inline constexpr DTypePlace kDTypePlace = DTypePlace::kBuffer;
template <>
inline constexpr DTypePlace kDTypePlace<ScalarParam> = DTypePlace::kScalar;
template <>
inline constexpr DTypePlace kDTypePlace<Symbol> = DTypePlace::kSymbol;
template <>
inline constexpr DTypePlace kDTypePlace<ExprArg> = DTypePlace::kExpr;

class DispatchReader {
 public:
  explicit DispatchReader(const FileReader& files) : files_(files) {}

  void read(const JsonReader& in, std::string& out) const { assign(in.string(), out); }
  void read(const JsonReader& in, std::int64_t& out) const { assign(in.integer(), out); }
  void read(const JsonReader& in, bool& out) const { assign(in.boolean(), out); }
  void read(const JsonReader& in, double& out) const { out = in.number().value_or(out); }
  void read(const JsonReader& in, Expr& out) const { out = read_expr(in); }

  void read(const JsonReader& in, std::uint8_t& out) const {
    const std::int64_t* integer = in.integer();
    if (integer == nullptr) return;
    if (*integer < 0 || *integer > std::numeric_limits<std::uint8_t>::max()) {
      in.problem("a byte is 0 to 255 (found " + std::to_string(*integer) + "). Correct the value.");
      return;
    }
    out = static_cast<std::uint8_t>(*integer);
  }

  void read(const JsonReader& in, File& out) const {
    if (in.object() == nullptr) return;
    in.refuse_other_keys({"file", "path", "sha256"});
    const auto path = in.require("path");
    if (!path) return;
    const auto sha256 = in.find("sha256");
    const std::string* name = path->string();
    const std::string* digest = sha256 ? sha256->string() : nullptr;
    if (name == nullptr || (sha256 && digest == nullptr)) return;
    const auto file = in.find("file");
    const std::string* place = file ? file->string() : name;
    if (place == nullptr) return;
    for (const auto& [reader, text] : {std::pair(&*path, name), std::pair(file ? &*file : &*path, place)}) {
      const std::string_view refusal = refusal_of_path(*text);
      if (refusal.empty()) continue;
      return reader->problem("file path " + in_double_quotes(*text) + " is refused (" + std::string(refusal) +
                             "). Use one such as \"src/gemm.cu\".");
    }
    out.path = *name;
    fetch(in, *place, digest, out);
  }

  void read(const JsonReader& in, Step& out) const {
    if (in.object() == nullptr) return;
    const std::vector<std::string> keys = strings(kStepKeys);
    in.refuse_other_keys(keys);
    read_one_of(in, keys, out);
  }

  void read(const JsonReader& in, LaunchArg& out) const {
    if (in.object() == nullptr) return;
    const auto present = [&](std::string_view key) { return in.value().find(key) != nullptr; };
    const auto found = std::ranges::find_if(kArgKeys, present);
    if (found == kArgKeys.end()) {
      in.refuse_other_keys(strings(kArgKeys));
      in.require_one(strings(kArgKeys));
      return;
    }
    const auto index = static_cast<std::size_t>(found - kArgKeys.begin());
    emplace_alternative(out, index, [&](auto& alternative) { read(in, alternative); });
  }

  template <class T>
    requires std::is_enum_v<T>
  void read(const JsonReader& in, T& out) const {
    const std::string* text = in.string();
    if (text == nullptr) return;
    const auto found = std::ranges::find(kWords<T>, *text);
    if (found != kWords<T>.end()) {
      out = static_cast<T>(found - kWords<T>.begin());
      return;
    }
    const std::vector<std::string> known = strings(kWords<T>);
    in.problem("unknown word " + in_double_quotes(*text) + "." + suggestion(*text, known) + " Use " + listed(known) +
               ".");
  }

  template <class T>
  void read(const JsonReader& in, std::vector<T>& out) const {
    const Json::Array* items = in.array();
    if (items == nullptr) return;
    for (std::size_t i = 0; i < items->size(); ++i) read(in.at(i, (*items)[i]), out.emplace_back());
  }

  template <class T>
  void read(const JsonReader& in, std::optional<T>& out) const {
    read(in, out.emplace());
  }

  template <class T>
  void read(const JsonReader& in, NameMap<T>& out) const {
    const Json::Object* members = in.object();
    if (members == nullptr) return;
    for (const auto& [key, member] : *members) read(in.at(key, member), out[key]);
  }

  template <Record T>
  void read(const JsonReader& in, T& out) const {
    if (in.object() == nullptr) return;
    in.refuse_other_keys(keys_of<T>());
    std::apply([&](const auto&... field) { (read_field(in, out, field), ...); }, kForm<T>);
  }

 private:
  template <class T>
  static void assign(const T* found, T& out) {
    if (found != nullptr) out = *found;
  }

  template <class T, class Member>
  void read_field(const JsonReader& in, T& out, const Required<Member>& field) const {
    if (const auto member = in.require(field.key)) read_member<T>(*member, out.*field.member);
  }

  template <class T, class Member>
  void read_field(const JsonReader& in, T& out, const Optional<Member>& field) const {
    if (const auto member = in.find(field.key)) read_member<T>(*member, out.*field.member);
  }

  template <class T, class Value>
  void read_member(const JsonReader& in, Value& out) const {
    if constexpr (std::is_same_v<Value, DType>) {
      out = read_dtype(in, kDTypePlace<T>);
    } else {
      read(in, out);
    }
  }

  template <class T, class Member, std::size_t N>
  void read_field(const JsonReader& in, T& out, const OneOf<Member, N>& field) const {
    read_one_of(in, strings(field.keys), out.*field.member);
  }

  template <class Alternatives>
  void read_one_of(const JsonReader& in, const std::vector<std::string>& keys, Alternatives& out) const {
    const std::optional<std::size_t> index = in.require_one(keys);
    if (!index) return;
    const JsonReader member = *in.find(keys[*index]);
    emplace_alternative(out, *index, [&](auto& alternative) { read(member, alternative); });
  }

  /// Reads the content of a file. Accepts any content without a digest: files of a hand-written program may be edited.
  void fetch(const JsonReader& in, const std::string& place, const std::string* digest, File& out) const {
    Result<std::string> content = files_(place);
    if (!content) return in.problem(content.error().message);
    out.content = *std::move(content);
    if (digest == nullptr) return;
    const std::string actual = sha256_hex(out.content);
    if (actual == *digest) return;
    in.problem("file " + in_double_quotes(place) + " was edited (its SHA-256 is \"" + actual +
               "\", the program expects " + in_double_quotes(*digest) +
               "). Restore it, or correct or remove \"sha256\".");
  }

  const FileReader& files_;
};

}  // namespace

Program read_program(const JsonReader& in, const FileReader& files) {
  Program program;
  DispatchReader(files).read(in, program);
  return program;
}

Signature read_signature(const JsonReader& in) {
  Signature signature;
  DispatchReader({}).read(in, signature);
  return signature;
}

}  // namespace kmux
