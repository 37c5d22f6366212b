#include "kmux/plugin/meta_reader.h"

#include <algorithm>

#include "kmux/plugin/kernel_names.h"
#include "kmux/plugin/quoting.h"
#include "kmux/plugin/word_list.h"

#include "base/json_text.h"

namespace kmux {

Error incomplete_artifact(std::string_view what, std::string_view backend) {
  return make_error(ErrorCode::kInvalidArgument, "the artifact has no " + std::string(what) + " (backend " +
                                                     std::string(backend) + " did not make it whole). Build it again.");
}

Result<const std::string*> required_part(const Artifact& artifact, std::string_view name, std::string_view backend) {
  if (const std::string* const part = artifact.find(name)) return part;
  return incomplete_artifact("part \"" + std::string(name) + "\"", backend);
}

Result<MetaReader> MetaReader::parse(std::string_view text, std::string backend) {
  KMUX_ASSIGN(Json meta, read_json(text));
  return MetaReader(std::move(meta), std::move(backend));
}

Error MetaReader::malformed(const std::string& key) const {
  return make_error(ErrorCode::kInvalidArgument, "the artifact's meta.json has no valid \"" + key + "\" (backend " +
                                                     backend_ + "). Build it again.");
}

Status MetaReader::read(const std::string& key, std::string& text) const {
  const Json* value = meta_.find(key);
  if (!value || !value->as_string()) return malformed(key);
  text = *value->as_string();
  return Ok{};
}

Status MetaReader::read(const std::string& key, bool& choice) const {
  const Json* value = meta_.find(key);
  if (!value || !value->as_bool()) return malformed(key);
  choice = *value->as_bool();
  return Ok{};
}

Status MetaReader::read(const std::string& key, std::vector<std::string>& texts) const {
  const Json* value = meta_.find(key);
  if (!value || !value->as_array()) return malformed(key);
  for (const Json& item : *value->as_array()) {
    if (!item.as_string()) return malformed(key);
    texts.push_back(*item.as_string());
  }
  return Ok{};
}

Status MetaReader::read(const std::string& key, std::map<std::string, std::string>& texts) const {
  const Json* value = meta_.find(key);
  if (!value || !value->as_object()) return malformed(key);
  for (const auto& [name, text] : *value->as_object()) {
    if (!text.as_string()) return malformed(key);
    texts.emplace(name, *text.as_string());
  }
  return Ok{};
}

namespace {

constexpr const char* kConstantsPart = "constants.json";

/// Returns `name` without the file-specific namespaces that nvcc, NVRTC and Clang add to file-local variables.
std::string without_file_scopes(std::string name) {
  constexpr std::string_view kUnnamed = "(anonymous namespace)::";
  for (std::size_t at = name.find(kUnnamed); at != name.npos; at = name.find(kUnnamed)) name.erase(at, kUnnamed.size());
  return name.starts_with("_INTERNAL_") ? name.substr(std::min(name.size(), name.find("::") + 2)) : name;
}

bool is_named(const std::string& symbol, const std::string& name) {
  return symbol == name || without_file_scopes(demangled(symbol)) == name;
}

Error not_one_variable(const std::string& name, const char* why, const std::vector<CodeVariable>& present) {
  std::vector<std::string> names;
  std::ranges::transform(present, std::back_inserter(names), demangled, &CodeVariable::symbol);
  return make_error(ErrorCode::kCompileFailed,
                    "constant " + in_double_quotes(name) + " is " + why + " (the code has " +
                        join(names, "no variable") +
                        "). Declare it outside of functions as __constant__ or __device__, and "
                        "name it with its namespaces.");
}

}  // namespace

Status check_constant_size(const Constant& constant, std::uint64_t bytes) {
  const auto declared = static_cast<std::uint64_t>(bytes_of(constant).value_or(0));
  if (bytes == declared) return Ok{};
  return make_error(ErrorCode::kInvalidArgument,
                    "constant " + in_double_quotes(constant.name) + " has " + std::to_string(bytes) +
                        " bytes in the code (the program declares " + describe(constant) + ", which has " +
                        std::to_string(declared) + "). Declare it as the source does.");
}

Result<std::vector<ConstantSymbol>> find_constants(const std::vector<Constant>& constants,
                                                   const std::vector<CodeVariable>& present) {
  std::vector<ConstantSymbol> found;
  for (const Constant& constant : constants) {
    const auto is_it = [&](const CodeVariable& variable) { return is_named(variable.symbol, constant.name); };
    const auto count = std::ranges::count_if(present, is_it);
    if (count == 0) return not_one_variable(constant.name, "not in the compiled code", present);
    if (count > 1) return not_one_variable(constant.name, "in the compiled code more than once", present);
    const CodeVariable& variable = *std::ranges::find_if(present, is_it);
    if (variable.bytes != 0) KMUX_TRY(check_constant_size(constant, variable.bytes));
    found.push_back({constant.name, variable.symbol, variable.bytes});
  }
  return found;
}

void set_constants(Artifact& artifact, const std::vector<ConstantSymbol>& constants) {
  if (constants.empty()) return;
  Json::Object symbols;
  for (const ConstantSymbol& constant : constants) {
    symbols.emplace(constant.name,
                    Json::Object{{"symbol", constant.symbol}, {"bytes", static_cast<std::int64_t>(constant.bytes)}});
  }
  artifact.set(kConstantsPart, dump(std::move(symbols)));
}

Result<std::vector<ConstantSymbol>> constants_of(const Artifact& artifact, std::string_view backend) {
  std::vector<ConstantSymbol> constants;
  const std::string* const part = artifact.find(kConstantsPart);
  if (part == nullptr) return constants;
  const auto json = read_json(*part);
  const Json::Object* const symbols = json ? json->as_object() : nullptr;
  if (symbols == nullptr) return incomplete_artifact("list of constants", backend);
  for (const auto& [name, constant] : *symbols) {
    const Json* const symbol = constant.as_object() != nullptr ? constant.find("symbol") : nullptr;
    const Json* const bytes = constant.as_object() != nullptr ? constant.find("bytes") : nullptr;
    if (symbol == nullptr || symbol->as_string() == nullptr || bytes == nullptr || !bytes->as_integer())
      return incomplete_artifact("symbol of constant " + in_double_quotes(name), backend);
    constants.push_back({name, *symbol->as_string(), static_cast<std::uint64_t>(*bytes->as_integer())});
  }
  return constants;
}

Result<const ConstantSymbol*> symbol_of(const std::vector<ConstantSymbol>& constants, std::string_view name) {
  const auto found = std::ranges::find(constants, name, &ConstantSymbol::name);
  if (found != constants.end()) return &*found;
  return make_error(ErrorCode::kInvalidArgument, "the code has no constant " + in_double_quotes(name) +
                                                     " (its program declared none). Declare it, and compile again.");
}

}  // namespace kmux
