#include "dsl_compiler.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <iterator>

#include "kmux/json.h"
#include "kmux/plugin/compile_log.h"
#include "kmux/plugin/file_io.h"
#include "kmux/plugin/host_compiler.h"
#include "kmux/plugin/meta_reader.h"
#include "kmux/plugin/word_list.h"

#include "nvidia/cubin.h"
#include "parameter.h"
#include "printed/kernel_pattern.h"

namespace kmux {

extern const std::string_view cutedsl_compile_script;  // python/compile.py

namespace cutedsl {
namespace {

namespace fs = std::filesystem;

constexpr const char* kScript = "kmux_compile.py";
constexpr int kNotUsable = 2;                // exit code of the script
constexpr int kSignalled = 128;              // plus the number of the signal that ended the script

Json dynamic_list(const std::vector<std::optional<std::int64_t>>& items) {
  Json::Array array;
  for (const auto& item : items) array.push_back(item ? Json(*item) : Json());
  return array;
}

Json extents(const std::optional<Entry::Extents>& values) { return values ? Json(json_list(*values)) : Json(); }

Json type_name(DType type) { return std::string(cute_type(type).value_or("")); }

// CuTe DSL's names of the element types of tensor maps, by the driver's numbers. Source: CUDA Driver API,
// CUtensorMapDataType.
constexpr std::array<const char*, 16> kMapTypes = {
    "Uint8",   "Uint16",   "Uint32",  "Int32",    "Uint64",   "Int64",        "Float16",      "Float32",
    "Float64", "BFloat16", "Float32", "TFloat32", "TFloat32", "Float4E2M1FN", "Float4E2M1FN", "Float6E3M2FN"};

std::vector<std::int64_t> box_of(const TensorMap& map) {
  if (const auto* tiled = std::get_if<TiledMap>(&map.mode)) return tiled->box;
  const auto& im2col = std::get<Im2colMap>(map.mode);
  std::vector<std::int64_t> box(map.dims.size(), 1);
  box.front() = im2col.channels_per_pixel;
  box.back() = im2col.pixels_per_column;
  return box;
}

template <class Enum>
Json number_of(Enum value) {
  return static_cast<std::int64_t>(value);
}

Json map_json(const TensorMap& map) {
  const std::vector<std::int64_t> ones(map.dims.size(), 1);
  return Json::Object{{"kind", "map"},
                      {"dtype", kMapTypes.at(static_cast<std::size_t>(map.dtype))},
                      {"box", json_list(box_of(map))},
                      {"element_strides", json_list(map.element_strides.empty() ? ones : map.element_strides)},
                      {"interleave", number_of(map.interleave)},
                      {"swizzle", number_of(map.swizzle)},
                      {"l2_promotion", number_of(map.l2_promotion)},
                      {"oob_fill", number_of(map.oob_fill)}};
}

Json parameter_json(const Parameter& parameter, const Plan& plan) {
  if (const auto* tensor = std::get_if<TensorParameter>(&parameter)) {
    return Json::Object{{"kind", "tensor"},
                        {"dtype", type_name(tensor->dtype)},
                        {"shape", dynamic_list(tensor->shape)},
                        {"strides", dynamic_list(tensor->strides)},
                        {"align", tensor->alignment_bytes}};
  }
  if (const auto* pointer = std::get_if<PointerParameter>(&parameter)) {
    return Json::Object{{"kind", "pointer"}, {"align", pointer->alignment_bytes}};
  }
  if (const auto* value = std::get_if<ValueParameter>(&parameter)) {
    return Json::Object{{"kind", "value"}, {"dtype", type_name(value->dtype)}};
  }
  return map_json(plan.maps[std::get<MapParameter>(parameter).map].map);
}

Json parameters_json(const Entry& entry, const Plan& plan) {
  Json::Array parameters;
  for (const Parameter& parameter : entry.parameters) parameters.push_back(parameter_json(parameter, plan));
  return parameters;
}

Json entry_json(const Entry& entry, const Plan& plan) {
  return Json::Object{{"kernel", entry.kernel},
                      {"parameters", parameters_json(entry, plan)},
                      {"block", extents(entry.block)},
                      {"cluster", extents(entry.cluster)},
                      {"smem", entry.dynamic_smem_bytes}};
}

Json host_json(const Entry& host, const Plan& plan) {
  return Json::Object{{"kernel", host.kernel}, {"parameters", parameters_json(host, plan)}};
}

Status write_files(const CompilationFolder& folder, const Variant& variant) {
  KMUX_TRY(folder.write_program(variant.sources));
  return folder.write_program(variant.headers);
}

Command command_of(const CompilationFolder& folder, const Python& python, const BuildOptions& options,
                   const Host& host) {
  Command command = python_command(python, folder.own() + "/" + kScript, folder);
  std::ranges::copy(options.include_dirs, std::back_inserter(command.confinement->reads));
  command.timeout = options.timeout;
  command.stopping = [host] { return host.stopping(); };
  return command;
}

Error with_requirements(Error error, const Settings& settings) {
  if (settings.python_requires.empty() || error.message.find("ModuleNotFoundError") == std::string::npos) return error;
  error.message += " The sources need " + join(settings.python_requires) + ".";
  return error;
}

std::string last_line(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  const std::string_view line = text.substr(text.rfind('\n') + 1);
  return line.empty() ? "nothing" : std::string(line);
}

// Returns the error of a failed compilation, in the user's lines.
Error failed(const CompilationFolder& folder, const ProcessResult& ran, const Python& python,
             const Settings& settings) {
  const auto words = read_file(fs::path(folder.own()) / "out" / "error.txt");
  const std::string log = (words ? *words + "\n" : "") + ran.standard_error + ran.standard_output;
  if (ran.exit_code == kNotUsable) {
    return make_error(ErrorCode::kUnavailable, "CuTe DSL " + python.version + " of \"" + python.program +
                                                   "\" cannot be imported (see the note). Run: pip install '" +
                                                   kRequirement + "'.")
        .with("log", log);
  }
  if (const int signal = ran.exit_code - kSignalled; signal > 0) {
    const std::string number = std::to_string(signal);
    return make_error(ErrorCode::kCompileFailed, "cannot compile the kernels (the compiler was ended by signal " +
                                                     number + ", " + strsignal(signal) +
                                                     "; last output: " + last_line(log) +
                                                     "). Change the kernel; the note \"log\" has what it was doing.")
        .with("log", log.empty() ? "no output before signal " + number : log);
  }
  return with_requirements(compile_error("cannot compile the kernels", log), settings);
}

// Reads the code of host functions. Kernels of the cubin that are not in the plan are theirs.
Result<HostCode> read_host(const fs::path& out, const DslCompiler::Output& output) {
  HostCode host;
  KMUX_ASSIGN(host.object, read_file(out / "kmux_host.o"));
  KMUX_ASSIGN(host.table, read_file(out / "kmux_host.s"));
  KMUX_ASSIGN(const std::vector<std::string> present, nvidia::cubin_kernels(output.cubin));
  std::ranges::copy_if(present, std::back_inserter(host.kernels), [&](const std::string& kernel) {
    return std::ranges::find(output.symbols, kernel) == output.symbols.end();
  });
  return host;
}

Result<DslCompiler::Output> read_output(const CompilationFolder& folder, const Entries& entries) {
  const fs::path out = fs::path(folder.own()) / "out";
  DslCompiler::Output output;
  KMUX_ASSIGN(output.cubin, read_file(out / "code.cubin"));
  KMUX_ASSIGN(const std::string text, read_file(out / "meta.json"));
  KMUX_ASSIGN(const MetaReader meta, MetaReader::parse(text, "cutedsl"));
  std::vector<std::string> symbols;
  std::string dsl;
  std::string python;
  KMUX_TRY(meta.read("symbols", symbols));
  KMUX_TRY(meta.read("imported", output.imported));
  KMUX_TRY(meta.read("dsl", dsl));
  KMUX_TRY(meta.read("python", python));
  output.versions = "CuTe DSL " + dsl + ", Python " + python;
  KMUX_ASSIGN(output.symbols, kernel_symbols(entries.list, symbols, output.cubin));
  if (entries.hosts.empty()) return output;
  KMUX_ASSIGN(output.host, read_host(out, output));
  return output;
}

}  // namespace

Json job_of(const BuildRequest& request, const BuildOptions& options, const Entries& entries, std::string program) {
  Json::Array sources;
  for (const File& source : request.chosen().sources) sources.emplace_back(source.path);
  Json::Array list_of_entries;
  for (const Entry& entry : entries.list) list_of_entries.push_back(entry_json(entry, entries.plan));
  Json::Array hosts;
  for (const Entry& host : entries.hosts) hosts.push_back(host_json(host, entries.plan));
  Json::Array flags = {"--opt-level=" + std::to_string(options.opt_level)};
  if (options.line_info) flags.emplace_back("--generate-line-info");
  return Json::Object{{"arch", request.target.arch},           {"program", std::move(program)},
                      {"sources", std::move(sources)},         {"folders", json_list(options.include_dirs)},
                      {"identified", Json::Array{"tilelang"}}, {"flags", std::move(flags)},
                      {"entries", std::move(list_of_entries)}, {"hosts", std::move(hosts)}};
}

Result<ProcessResult> DslCompiler::run_python(const CompilationFolder& folder, const BuildRequest& request,
                                              const BuildOptions& options) const {
  if (server_ != nullptr && options.keep_python) {
    KMUX_ASSIGN(const auto code, server_->compile(python_, request.target.arch, folder.own(), options.timeout));
    const auto log = read_file(fs::path(folder.own()) / "python.log");
    if (code) return ProcessResult{*code, log ? *log : "", ""};
  }
  return run(command_of(folder, python_, options, host_));
}

Result<DslCompiler::Output> DslCompiler::compile(const CompilationFolder& folder, const BuildRequest& request,
                                                 const BuildOptions& options, const Entries& entries) const {
  KMUX_TRY(write_files(folder, request.chosen()));
  KMUX_TRY(folder.write_own(kScript, cutedsl_compile_script));
  KMUX_TRY(folder.write_own("job.json", dump(job_of(request, options, entries, folder.program()))));
  const Command command = command_of(folder, python_, options, host_);
  KMUX_ASSIGN(const ProcessResult ran, run_python(folder, request, options));
  if (ran.exit_code != 0) {
    return failed(folder, ran, python_, request.chosen().settings).with("command", to_string(command));
  }
  KMUX_ASSIGN(Output output, read_output(folder, entries));
  output.log = ran.standard_error + ran.standard_output;
  return output;
}

namespace {

Error lacks(const std::string& kernel, const std::string& why, const std::vector<std::string>& present) {
  return make_error(ErrorCode::kCompileFailed, "the code has no kernel for \"" + kernel + "\" (" + why +
                                                   "; there are " + join(present, "none") +
                                                   "). Use CuTe DSL 4.7 or newer, or another name.");
}

// Finds a kernel by its name pattern, for a CuTe DSL that does not report symbols.
Result<std::string> find_by_pattern(const std::string& kernel, const std::vector<std::string>& present) {
  std::vector<const char*> names;
  names.reserve(present.size());
  for (const std::string& name : present) names.push_back(name.c_str());
  const KernelMatch match = match_kernel(kernel.c_str(), names.data(), names.size());
  if (match.count == 1) return present[match.index];
  return lacks(kernel, match.count == 0 ? "none matches" : "several match", present);
}

}  // namespace

Result<std::vector<std::string>> kernel_symbols(const std::vector<Entry>& entries, const std::vector<std::string>& said,
                                                std::string_view cubin) {
  KMUX_ASSIGN(const std::vector<std::string> present, nvidia::cubin_kernels(cubin));
  if (said.size() >= entries.size()) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (!std::ranges::binary_search(present, said[i]))
        return lacks(entries[i].kernel, "\"" + said[i] + "\"", present);
    }
    return std::vector(said.begin(), said.begin() + static_cast<std::ptrdiff_t>(entries.size()));
  }
  std::vector<std::string> symbols;
  for (const Entry& entry : entries) {
    KMUX_ASSIGN(std::string symbol, find_by_pattern(entry.kernel, present));
    symbols.push_back(std::move(symbol));
  }
  return symbols;
}

}  // namespace cutedsl
}  // namespace kmux
