#include "source_kernels.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string_view>
#include <utility>

#include "kmux/json.h"
#include "kmux/plugin/backend.h"
#include "kmux/plugin/file_io.h"
#include "kmux/plugin/quoted_headers.h"
#include "kmux/plugin/quoting.h"
#include "kmux/plugin/suggestion.h"
#include "kmux/plugin/word_list.h"
#include "kmux/registry.h"
#include "kmux/runtime.h"
#include "kmux/text.h"
#include "kmux/validate.h"

#include "command.h"
#include "program_input.h"
#include "style.h"

namespace kmux::cli {
namespace {

constexpr const char* kReader = "cpu";  // the backend that contains Clang

/// Returns a program that only serves to parse its source: its launch is ignored.
Program program_of(const NewSource& source) {
  Launch launch{.kernel = "any"};
  if (source.dialect != "c") launch.grid = launch.block = {1};
  const std::filesystem::path path = source.path;
  Variant variant{.dialect = source.dialect};
  variant.sources = {{path.filename().string(), source.content}};
  add_quoted_headers(variant, path.parent_path(), HeaderReach::kTree);
  variant.body.steps.emplace_back(std::move(launch));
  return Program{.name = "source", .variants = {std::move(variant)}};
}

const std::string& text_of_key(const Json& json, std::string_view key) { return *json.find(key)->as_string(); }

/// Adds the parameter types to the names of overloads, as in launches: "scale(float *, int)".
void name_overloads(std::vector<SourceKernel>& kernels) {
  std::map<std::string, int> counts;
  for (const SourceKernel& kernel : kernels) ++counts[kernel.name];
  for (SourceKernel& kernel : kernels) {
    if (counts[kernel.name] > 1 && kernel.templates.empty()) kernel.name.append("(").append(kernel.types).append(")");
  }
}

/// Parses a parameter. Names of members are prefixed with those of their structures: "dim_rows".
KernelParameter parameter_from(const Json& json, const std::string& structure) {
  const std::string& word = text_of_key(json, "name");
  const bool has_both = !structure.empty() && !word.empty();
  KernelParameter parameter{.name = structure + (has_both ? "_" : "") + word,
                            .type = text_of_key(json, "type"),
                            .dtype = text_of_key(json, "dtype"),
                            .kind = text_of_key(json, "kind"),
                            .word = word};
  if (const Json* const problem = json.find("problem")) parameter.problem = *problem->as_string();
  const Json* const members = json.find("members");
  if (members == nullptr || !parameter.problem.empty() || is_scalar(parameter)) return parameter;
  for (const Json& member : *members->as_array()) {
    parameter.members.push_back(parameter_from(member, parameter.name));
  }
  parameter.alignment_bytes = *json.find("align")->as_integer();
  return parameter;
}

std::vector<SourceKernel> kernels_from(const Json::Array& list) {
  std::vector<SourceKernel> kernels;
  for (const Json& one : list) {
    SourceKernel kernel{.name = text_of_key(one, "name"),
                        .templates = text_of_key(one, "template"),
                        .returns_int = text_of_key(one, "returns") == "int32",
                        .body = text_of_key(one, "body"),
                        .types = text_of_key(one, "types")};
    for (const Json& parameter : *one.find("parameters")->as_array()) {
      kernel.parameters.push_back(parameter_from(parameter, ""));
    }
    kernels.push_back(std::move(kernel));
  }
  name_overloads(kernels);
  return kernels;
}

/// Returns the dialect of an unnamed source: by CUDA's keyword and HIP's header, else C.
std::string dialect_of_content(const std::string& content) {
  const auto has = [&](const char* word) { return content.find(word) != std::string::npos; };
  if (!has("__global__")) return "c";
  return has("hip/hip_runtime.h") ? "hip" : "cuda";
}

/// Returns the source on the standard input, with a name that shows its dialect.
Result<NewSource> source_of_input() {
  KMUX_ASSIGN(std::string content, read_standard_input());
  if (carries_text(content)) {
    return make_error(ErrorCode::kInvalidArgument,
                      "the standard input carries a program already (in its comment \"kmux\"). `kmux run -` runs it.");
  }
  const std::string dialect = dialect_of_content(content);
  const bool is_cpp = content.find("extern \"C\"") != std::string::npos;  // detected as by the backend that runs it
  const std::string ending = dialect == "cuda" ? ".cu" : dialect == "hip" ? ".hip" : is_cpp ? ".cpp" : ".c";
  return NewSource{"kernel" + ending, std::move(content), dialect};
}

bool is_named(const SourceKernel& kernel, std::string name) {
  std::erase(name, ' ');
  return std::ranges::any_of(names_of(kernel), [&](std::string one) { return std::erase(one, ' '), one == name; });
}

}  // namespace

Result<NewSource> read_source(const std::string& path) {
  if (path == kStandardInput) return source_of_input();
  KMUX_ASSIGN(std::string content, read_named_file(path));
  const std::string dialect(dialect_of_file(path));
  if (dialect != "cuda" && dialect != "hip" && dialect != "c") {
    return make_error(ErrorCode::kInvalidArgument,
                      "\"" + path +
                          "\" is not a source that kmux new reads (by its name). Name one that "
                          "ends in .cu, .hip, .c or .cpp.");
  }
  if (carries_text(content)) {
    return make_error(ErrorCode::kInvalidArgument,
                      "\"" + path + R"(" carries a program already (in its comment "kmux"). `kmux show )" + path +
                          "` prints it; to begin anew, remove the comment.");
  }
  return NewSource{path, std::move(content), dialect};
}

std::vector<std::string> headers_beside(const NewSource& source) {
  const std::filesystem::path path = source.path;
  const std::vector<File> texts = {{path.filename().string(), source.content}};
  std::vector<std::string> names;
  for (const File& header : quoted_headers(texts, path.parent_path(), HeaderReach::kFolder))
    names.push_back(header.path);
  return names;
}

namespace {

/// Errors: invalid_argument for names that are not UTF-8: the reader of sources gets them as JSON.
Status check_names(const NewSource& source, const std::vector<std::string>& folders) {
  const std::string file = std::filesystem::path(source.path).filename().string();
  if (!is_text(file)) {
    return make_error(ErrorCode::kInvalidArgument, "the name of source " + in_double_quotes(file) +
                                                       " is not UTF-8 (a program names its sources). Rename it.");
  }
  const auto odd = std::ranges::find_if_not(folders, is_text);
  if (odd == folders.end()) return Ok{};
  return make_error(ErrorCode::kInvalidArgument, "the include folder " + in_double_quotes(*odd) +
                                                     " is not UTF-8 (backends get it as JSON). Rename it.");
}

/// Returns the number of declarations of dynamic shared memory in `text`: `extern` before `__shared__`.
std::size_t count_dynamic(std::string_view text) {
  constexpr std::string_view kShared = "__shared__";
  std::size_t count = 0;
  for (std::size_t at = text.find(kShared); at != std::string_view::npos; at = text.find(kShared, at + 1)) {
    const std::string_view before = text.substr(0, at);
    const std::size_t begin = before.find_last_of(";{}") + 1;  // 0 if there is none
    if (before.substr(begin).find("extern") != std::string_view::npos) ++count;
  }
  return count;
}

/// Notes the kernels that declare dynamic shared memory. If a declaration is in no kernel, all may use it.
void note_dynamic_memory(std::vector<SourceKernel>& kernels, const Variant& read) {
  std::size_t elsewhere = count_dynamic(read.sources[0].content);
  for (SourceKernel& kernel : kernels) {
    const std::size_t own = count_dynamic(kernel.body);
    kernel.has_dynamic_memory = own != 0;
    elsewhere -= std::min(own, elsewhere);
  }
  for (const File& header : read.headers) elsewhere += count_dynamic(header.content);
  if (elsewhere == 0) return;
  for (SourceKernel& kernel : kernels) kernel.has_dynamic_memory = true;
}

}  // namespace

Result<std::vector<SourceKernel>> source_kernels(const NewSource& source, const std::vector<std::string>& folders) {
  KMUX_TRY(check_names(source, folders));
  KMUX_ASSIGN(const auto runtime, Runtime::default_runtime());
  KMUX_ASSIGN(const auto plugin, runtime->registry().plugin(kReader));
  Backend& backend = plugin->backend();
  const Program program = program_of(source);
  BuildRequest request{program, 0, {}, {{"emit", "functions"}}};
  KMUX_ASSIGN(request.target, backend.resolve_target("auto", std::nullopt));
  if (!folders.empty()) request.options["include_dirs"] = joined(folders, "\n");
  KMUX_ASSIGN(const Artifact read, backend.builder().build(request, ""));
  KMUX_ASSIGN(const Json list, parse_json(*read.find("functions")));
  std::vector<SourceKernel> kernels = kernels_from(*list.as_array());
  note_dynamic_memory(kernels, program.variants[0]);
  return kernels;
}

bool is_scalar(const KernelParameter& parameter) {
  const Result<DType> type = parse_dtype(parameter.dtype);
  return type && type->lanes == 1 && !is_complex(*type);
}

std::vector<KernelParameter> all_passed(const std::vector<KernelParameter>& parameters) {
  std::vector<KernelParameter> all;
  for (const KernelParameter& parameter : parameters) {
    const auto passed = parameter.members.empty() ? std::vector{parameter} : all_passed(parameter.members);
    all.insert(all.end(), passed.begin(), passed.end());
  }
  return all;
}

std::vector<std::string> names_of(const SourceKernel& kernel) {
  const std::string plain = kernel.name.substr(0, kernel.name.find_first_of("<("));
  const std::string base = plain.substr(plain.rfind(':') + 1);
  return {kernel.name, plain, base + kernel.name.substr(plain.size()), base};
}

Status keep_named(std::vector<SourceKernel>& kernels, const std::vector<std::string>& names, const std::string& path) {
  std::vector<std::string> all, known;
  for (const SourceKernel& kernel : kernels) {
    all.push_back(kernel.name);
    for (const std::string& name : names_of(kernel)) known.push_back(name);
  }
  for (const std::string& name : names) {
    if (std::ranges::any_of(kernels, [&](const SourceKernel& kernel) { return is_named(kernel, name); })) continue;
    return make_error(ErrorCode::kInvalidArgument, "--kernel names " + in_quotes(name) + ", which " + in_quotes(path) +
                                                       " does not define." + did_you_mean(name, known) +
                                                       " It has: " + join(all) + ".");
  }
  std::erase_if(kernels, [&](const SourceKernel& kernel) {
    return std::ranges::none_of(names, [&](const std::string& name) { return is_named(kernel, name); });
  });
  return Ok{};
}

}  // namespace kmux::cli
