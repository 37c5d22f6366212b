#include "kmux/dispatch_json.h"

#include "kmux/json.h"
#include "kmux/plugin/sha256.h"

#include "dispatch_reader.h"
#include "dispatch_writer.h"
#include "expr_json.h"

namespace kmux {

namespace {

constexpr std::size_t kMaxBytes = std::size_t{16} << 20;  // no honest program comes near: files are not in it
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
  if (text.size() <= kMaxBytes) return parse_json(text);
  return make_error(ErrorCode::kInvalidArgument, "the JSON document has " + std::to_string(text.size()) +
                                                     " bytes (the limit is " + std::to_string(kMaxBytes) +
                                                     "). Keep sources and data in files.");
}

// Checks what comes before everything else, and takes it away.
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
  KMUX_ASSIGN(Json parsed, parse(json));
  KMUX_TRY(take_header(parsed));
  ProblemList problems;
  Program program = read_program(JsonReader(parsed, problems), read);
  KMUX_TRY(problems.status("the JSON form of the program"));
  return program;
}

std::string digest(const Program& program) {
  Json json = document(program);
  json.as_object()->erase("metadata");
  return sha256_hex(dump(json));
}

std::string to_json(const Expr& expr) { return dump(write_expr(expr)); }

Result<Expr> expr_from_json(std::string_view json) {
  KMUX_ASSIGN(const Json parsed, parse(json));
  ProblemList problems;
  Expr expr = read_expr(JsonReader(parsed, problems));
  KMUX_TRY(problems.status("the JSON form of the expression"));
  return expr;
}

std::string to_json(const Signature& signature) { return dump(write_signature(signature)); }

Result<Signature> signature_from_json(std::string_view json) {
  KMUX_ASSIGN(const Json parsed, parse(json));
  ProblemList problems;
  Signature signature = read_signature(JsonReader(parsed, problems));
  KMUX_TRY(problems.status("the JSON form of the signature"));
  return signature;
}

Result<std::map<std::string, std::string>> options_from_json(std::string_view json) {
  KMUX_ASSIGN(const Json parsed, parse(json));
  if (parsed.as_object() == nullptr) {
    return make_error(ErrorCode::kInvalidArgument, "options are of kind " + std::string(parsed.kind()) +
                                                       R"(. Give an object such as {"engine":"host"}.)");
  }
  std::map<std::string, std::string> options;
  for (const auto& [name, value] : *parsed.as_object()) {
    KMUX_ASSIGN(options[name], option_text(name, value));
  }
  return options;
}

std::string to_json(const std::map<std::string, std::string>& options) {
  Json::Object object;
  for (const auto& [name, value] : options) object.emplace(name, value);
  return dump(object);
}

}  // namespace kmux
