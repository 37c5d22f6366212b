#include "kmux/dispatch_json.h"

#include <type_traits>

#include "kmux/dispatch.h"
#include "kmux/guarded.h"
#include "kmux/json.h"
#include "kmux/plugin/sha256.h"

#include "base/json_text.h"
#include "dispatch_form.h"
#include "expr_json.h"

namespace kmux {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{16} << 20;  // far above real programs: files are not included
constexpr const char* kFormat = "kmux-program";

Json document(const Program& program) {
  Json json = write_program(program);
  json["format"] = kFormat;
  json["version"] = kDispatchJsonVersion;
  return json;
}

Error not_a_program(const std::string& why) {
  return make_error(ErrorCode::kInvalidArgument,
                    "not a kmux program (" + why + R"(). Give a document with "format":")" + kFormat + "\".");
}

Result<Json> parse(std::string_view text) {
  if (text.size() <= kMaxBytes) return read_json(text);
  return make_error(ErrorCode::kInvalidArgument, "the JSON document has " + std::to_string(text.size()) +
                                                     " bytes (the limit is " + std::to_string(kMaxBytes) +
                                                     "). Keep sources and data in files.");
}

// Checks "format" and "version", and removes them.
Status take_header(Json& json) {
  Json::Object* object = json.as_object();
  if (object == nullptr) return not_a_program("found " + std::string(json.kind()));
  const Json* format = json.find("format");
  if (format == nullptr || *format != Json(kFormat)) return not_a_program("no \"format\"");
  const Json* version = json.find("version");
  if (version == nullptr || version->as_integer() == nullptr || *version->as_integer() < 1) {
    return not_a_program("no \"version\", an integer from 1");
  }
  if (*version->as_integer() > kDispatchJsonVersion) {
    return make_error(ErrorCode::kUnsupported, "the program has version " + dump(*version) +
                                                   " (this kmux reads up to " + std::to_string(kDispatchJsonVersion) +
                                                   "). Use a newer kmux.");
  }
  object->erase("format");
  object->erase("version");
  return Ok{};
}

Result<std::string> option_text(const std::string& name, const Json& value) {
  if (const std::string* text = value.as_string()) return *text;
  if (value.as_bool() != nullptr || value.as_number()) return dump(value);
  return make_error(ErrorCode::kInvalidArgument, "option \"" + name + "\" is of kind " + std::string(value.kind()) +
                                                     ". Give text, a number, true or false.");
}

}  // namespace

std::string to_json(const Program& program) { return dump(document(program)); }

std::string to_pretty_json(const Program& program) { return dump(document(program), 2) + "\n"; }

Result<Program> from_json(std::string_view json, const FileReader& read) {
  return guarded_but_callers([&]() -> Result<Program> {
    KMUX_ASSIGN(Json parsed, parse(json));
    KMUX_TRY(take_header(parsed));
    ProblemList problems;
    Program program = read_program(JsonReader(parsed, problems), read);
    KMUX_TRY(problems.status("the JSON form of the program"));
    return program;
  });
}

std::string digest(const Program& program) {
  Json json = document(program);
  json.as_object()->erase("metadata");
  return sha256_hex(dump(json));
}

namespace {

/// Reads a document that is one part of a program; `name` names the part in errors.
template <class Part>
Result<Part> part_from_json(std::string_view json, Part (*read)(const JsonReader&), const char* name) {
  return guarded([&]() -> Result<Part> {
    KMUX_ASSIGN(const Json parsed, parse(json));
    ProblemList problems;
    Part part = read(JsonReader(parsed, problems));
    KMUX_TRY(problems.status(std::string("the JSON form of the ") + name));
    return part;
  });
}

}  // namespace

std::string to_json(const Expr& expr) { return dump(write_expr(expr)); }

Result<Expr> expr_from_json(std::string_view json) { return part_from_json(json, read_expr, "expression"); }

std::string to_json(const Signature& signature) { return dump(write_signature(signature)); }

Result<Signature> signature_from_json(std::string_view json) {
  return part_from_json(json, read_signature, "signature");
}

Result<Options> options_from_json(std::string_view json) {
  return guarded([&]() -> Result<Options> {
    KMUX_ASSIGN(const Json parsed, parse(json));
    if (parsed.as_object() == nullptr) {
      return make_error(ErrorCode::kInvalidArgument, "options are of kind " + std::string(parsed.kind()) +
                                                         R"(. Give an object such as {"engine":"host"}.)");
    }
    Options options;
    for (const auto& [name, value] : *parsed.as_object()) {
      KMUX_ASSIGN(options[name], option_text(name, value));
    }
    return options;
  });
}

std::string to_json(const Options& options) {
  Json::Object object;
  for (const auto& [name, value] : options) object.emplace(name, value);
  return dump(object);
}

namespace {

// A class, so that the overloads find each other in any order of declaration.
struct DispatchWriter {
  static Json write(const std::string& text) { return text; }
  static Json write(std::int64_t integer) { return integer; }
  static Json write(std::uint8_t integer) { return std::int64_t{integer}; }
  static Json write(bool boolean) { return boolean; }
  static Json write(double number) { return number; }
  static Json write(const Expr& expr) { return write_expr(expr); }
  static Json write(DType type) { return write_dtype(type); }

  static Json write(const File& file) {
    return Json::Object{{"path", file.path}, {"sha256", sha256_hex(file.content)}};
  }

  static Json write(const Step& step) {
    Json::Object object;
    object.emplace(kStepKeys[step.index()],
                   std::visit([](const auto& alternative) { return write(alternative); }, step));
    return object;
  }

  static Json write(const LaunchArg& arg) {
    return std::visit([](const auto& alternative) { return write(alternative); }, arg);
  }

  template <class T>
    requires std::is_enum_v<T>
  static Json write(T value) {
    return kWords<T>[static_cast<std::size_t>(value)];
  }

  template <class T>
  static Json write(const std::vector<T>& values) {
    Json::Array items;
    for (const T& value : values) items.push_back(write(value));
    return items;
  }

  template <class T>
  static Json write(const NameMap<T>& values) {
    Json::Object object;
    for (const auto& [key, value] : values) object.emplace(key, write(value));
    return object;
  }

  template <Record T>
  static Json write(const T& record) {
    Json::Object object;
    const T defaults{};
    const auto write_each = [&](const auto&... field) { (write_field(object, record, defaults, field), ...); };
    std::apply(write_each, kForm<T>);
    return object;
  }

  template <class T, class Member>
  static void write_field(Json::Object& object, const T& record, const T&, const Required<Member>& field) {
    object.emplace(field.key, write(record.*field.member));
  }

  template <class T, class Member>
  static void write_field(Json::Object& object, const T& record, const T& defaults, const Optional<Member>& field) {
    if (record.*field.member != defaults.*field.member) object.emplace(field.key, write_present(record.*field.member));
  }

  template <class T, class Member, std::size_t N>
  static void write_field(Json::Object& object, const T& record, const T&, const OneOf<Member, N>& field) {
    const auto& value = record.*field.member;
    object.emplace(field.keys[value.index()], std::visit([](const auto& present) { return write(present); }, value));
  }

  template <class T>
  static Json write_present(const T& value) {
    return write(value);
  }
  template <class T>
  static Json write_present(const std::optional<T>& value) {
    return write(*value);
  }
};

}  // namespace

Json write_program(const Program& program) { return DispatchWriter::write(program); }

Json write_signature(const Signature& signature) { return DispatchWriter::write(signature); }

std::optional<std::int64_t> bytes_of(const Constant& constant) {
  std::int64_t bits = total_bits(constant.dtype);
  for (const std::int64_t extent : constant.shape) {
    if (extent < 1 || __builtin_mul_overflow(bits, extent, &bits)) return std::nullopt;
  }
  return bits % 8 == 0 ? std::optional(bits / 8) : std::nullopt;
}

std::string describe(const Constant& constant) {
  std::string text = to_string(constant.dtype) + "[";
  for (std::size_t i = 0; i < constant.shape.size(); ++i)
    text.append(i == 0 ? "" : ", ").append(std::to_string(constant.shape[i]));
  return text + "]";
}

// Not defaulted in the class, where Step is still incomplete.
bool operator==(const If& a, const If& b) {
  return a.condition == b.condition && a.then_steps == b.then_steps && a.else_steps == b.else_steps;
}

bool operator==(const StructArg& a, const StructArg& b) {
  return a.alignment_bytes == b.alignment_bytes && a.members == b.members;
}

bool operator==(const For& a, const For& b) {
  return a.variable == b.variable && a.begin == b.begin && a.end == b.end && a.steps == b.steps;
}

}  // namespace kmux
