#include "name_forms.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cxxabi.h>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <thread>

#include "kmux/compile.h"
#include "kmux/environment.h"
#include "kmux/export_library.h"
#include "kmux/json.h"
#include "kmux/plugin/private_folder.h"
#include "kmux/plugin/start_thread.h"
#include "kmux/program.h"
#include "kmux/registry.h"
#include "kmux/tensor.h"

namespace kmux::strangers {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kElements = 100;

std::string cxx_name(const std::string& symbol) {
  if (!symbol.starts_with("_Z")) return symbol;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, nullptr),
                                                    std::free);
  return text == nullptr ? symbol : text.get();
}

Error failed(const std::string& what) { return make_error(ErrorCode::kInternal, what); }

// What stands behind `mark` in the lines of `text`.
std::vector<std::string> lines_with(const std::string& text, const std::string& mark) {
  std::vector<std::string> found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(mark)) found.push_back(line.substr(mark.size()));
  }
  return found;
}

Result<NameForm> read_form(const fs::path& file) {
  NameForm form{.name = file.stem().string()};
  KMUX_ASSIGN(form.program, load_program(file.string()));
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  form.means = lines_with(text.str(), "// means: ");
  for (const std::string& ready : lines_with(text.str(), "// in ready code: ")) form.ready = ready;
  return form;
}

std::vector<Launch*> launches_of(Program& program) {
  std::vector<Launch*> launches;
  for (Step& step : program.variants.front().body.steps) launches.push_back(&std::get<Launch>(step));
  return launches;
}

// The symbols of `kernels` in an artifact, in their order.
Result<std::vector<std::string>> symbols_in(const Artifact& artifact, const std::vector<std::string>& kernels) {
  const std::string* const meta = artifact.find("meta.json");
  if (meta == nullptr) return failed("the artifact has no meta.json");
  KMUX_ASSIGN(const Json json, parse_json(*meta));
  const Json* const symbols = json.find("symbols");
  std::vector<std::string> found;
  for (const std::string& kernel : kernels) {
    std::string symbol;
    if (symbols != nullptr && symbols->as_array() != nullptr) {  // beside a list of kernels
      const Json::Array& names = *json.find("kernels")->as_array();
      const auto place = std::ranges::find_if(names, [&](const Json& one) { return *one.as_string() == kernel; });
      if (place != names.end())
        symbol = *(*symbols->as_array())[static_cast<std::size_t>(place - names.begin())].as_string();
    } else {  // of hip "SYMBOL BYTES THREADS WAVEFRONT"
      const Json* const line = (symbols != nullptr ? symbols : json.find("kernels"))->find(kernel);
      if (line != nullptr) symbol = line->as_string()->substr(0, line->as_string()->find(' '));
    }
    if (symbol.empty()) return failed("meta.json has no symbol of \"" + kernel + "\": " + *meta);
    found.push_back(symbol);
  }
  return found;
}

CompileOptions options_for(const std::string& backend, const std::string& target) {
  CompileOptions options{.target = target, .execution_backend = backend};
  if (backend == "hip") options.options["engine"] = "clang";
  return options;
}

// All parameters are buffers.
Result<std::vector<Tensor>> make_arguments(const Program& program, const Device& device) {
  std::vector<Tensor> arguments;
  for (std::size_t i = 0; i < program.signature.params.size(); ++i) {
    const std::vector<float> values(kElements, 5.0F);
    KMUX_ASSIGN(const Tensor host, Tensor::from<float>({kElements}, dtype::kFloat32, values));
    KMUX_ASSIGN(Tensor there, host.to(device));
    arguments.push_back(std::move(there));
  }
  return arguments;
}

Status check_ones(const Tensor& tensor) {
  KMUX_ASSIGN(const Tensor host, tensor.to(Device{}));
  const auto* const values = static_cast<const float*>(host.data());
  for (std::int64_t i = 0; i < kElements; ++i) {
    if (values[i] != 1.0F)
      return failed("element " + std::to_string(i) + " is " + std::to_string(values[i]) + ", not 1");
  }
  return Ok{};
}

}  // namespace

Result<std::vector<NameForm>> name_forms() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(KMUX_NAME_FORMS)) {
    if (entry.path().extension() == ".cu") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  std::vector<NameForm> forms;
  for (const fs::path& file : files) {
    KMUX_ASSIGN(NameForm form, read_form(file));
    if (form.means.size() != launches_of(form.program).size()) return failed(form.name + " does not say what it means");
    forms.push_back(std::move(form));
  }
  return forms;
}

Status check_symbols(Runtime& runtime, const NameForm& form, const std::string& backend, const std::string& target) {
  KMUX_ASSIGN(const BuildResult built, build(runtime, form.program, options_for(backend, target)));
  Program program = form.program;
  std::vector<std::string> kernels;
  for (const Launch* const launch : launches_of(program)) kernels.push_back(launch->kernel);
  KMUX_ASSIGN(const std::vector<std::string> symbols, symbols_in(built.artifact, kernels));
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    if (cxx_name(symbols[i]) == form.means[i]) continue;
    return failed("\"" + kernels[i] + "\" is taken for " + cxx_name(symbols[i]) + ", not for " + form.means[i]);
  }
  return Ok{};
}

Result<NameForm> ready_form(Runtime& runtime, const NameForm& form, const std::string& backend,
                            const std::string& target, const std::string& dialect) {
  KMUX_ASSIGN(const BuildResult built, build(runtime, form.program, options_for(backend, target)));
  const std::string* const code = built.artifact.find("code");
  if (code == nullptr) return failed("the artifact has no code");
  NameForm ready = form;
  Variant& variant = ready.program.variants.front();
  variant.dialect = dialect;
  variant.settings = {};
  variant.headers.clear();
  variant.sources = {{"code." + dialect, dialect == "ptx" ? code->substr(0, code->find('\0')) : *code}};
  if (!form.ready.empty()) {
    for (Launch* const launch : launches_of(ready.program)) launch->kernel = form.ready;
  }
  return ready;
}

Status check_launch(Runtime& runtime, const NameForm& form, const std::string& backend, bool runs) {
  KMUX_ASSIGN(const Kernel kernel, compile(runtime, form.program, options_for(backend, "")));
  KMUX_ASSIGN(const std::vector<Tensor> tensors, make_arguments(form.program, kernel.device()));
  const std::vector<Arg> arguments(tensors.begin(), tensors.end());
  KMUX_TRY(kernel.launch(arguments));
  KMUX_TRY(kernel.device().synchronize());
  return runs ? check_ones(tensors.back()) : Status(Ok{});
}

Status check_export(Runtime& runtime, const NameForm& form, const std::string& backend) {
  KMUX_ASSIGN(const PrivateFolder folder, PrivateFolder::create("kmux-names"));
  ExportOptions options{.compile = options_for(backend, backend == "cpu" ? "" : "cuda:sm_90")};
  options.library = folder.path() + "/form.so";
  KMUX_TRY(export_library(runtime, form.program, options));
  void* const library = dlopen(options.library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return failed(dlerror());
  const std::string name = form.program.name;
  const auto prepare = reinterpret_cast<int (*)(int)>(dlsym(library, (name + "_prepare").c_str()));
  const auto last_error = reinterpret_cast<const char* (*)()>(dlsym(library, (name + "_last_error").c_str()));
  const auto close = reinterpret_cast<void (*)()>(dlsym(library, (name + "_close").c_str()));
  const std::string failure = prepare(0) == 0 ? "" : last_error();
  close();
  dlclose(library);
  return failure.empty() ? Status(Ok{}) : failed(failure);
}

std::optional<std::string> why_not(Runtime& runtime, const std::string& backend, bool runs) {
  const auto plugin = runtime.registry().plugin(backend);
  if (!plugin) return plugin.error().message;
  const Result<ProbeReport>& report = (*plugin)->probe();
  if (!report) return report.error().message;
  if (!report->can_build.ok()) return report->can_build.reason;
  if (runs && !report->can_run.ok()) return report->can_run.reason;
  return std::nullopt;
}

std::vector<Status> check_all(Runtime& runtime, const NameWay& way, const std::vector<NameForm>& forms,
                              unsigned threads) {
  std::vector<Status> results(forms.size(), Ok{});
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < forms.size(); i = next++) results[i] = way.check(runtime, forms[i]);
  };
  std::vector<std::jthread> others;
  while (others.size() + 1 < threads) {
    auto started = start_thread<std::jthread>(work);
    if (!started) break;
    others.push_back(*std::move(started));
  }
  work();
  others.clear();  // which waits for them
  return results;
}

Result<Shared<Runtime>> open_runtime(const std::string& cache) {
  RegistryOptions options;
  options.variables = Environment::from_process().variables;  // where compilers are
  return Runtime::create({.cache_dir = cache}, options);
}

namespace {

NameWay compiled_by(const std::string& backend, const std::string& target) {
  return {backend + " for " + target, backend, false,
          [=](Runtime& runtime, const NameForm& form) { return check_symbols(runtime, form, backend, target); }};
}

// Backend nvrtc with the code of another: it compiles no launcher.
NameWay ready_by(const std::string& from, const std::string& dialect) {
  const std::string target = dialect == "ptx" ? "cuda:compute_90" : "cuda:sm_90";
  return {"nvrtc of " + dialect + " of " + from, from, false, [=](Runtime& runtime, const NameForm& form) -> Status {
            KMUX_ASSIGN(const NameForm code, ready_form(runtime, form, from, target, dialect));
            return check_symbols(runtime, code, "nvrtc", "cuda:sm_90");
          }};
}

NameWay launched_by(const std::string& backend, bool compares) {
  return {backend + " launched", backend, true,
          [=](Runtime& runtime, const NameForm& form) { return check_launch(runtime, form, backend, compares); }};
}

NameWay exported_by(const std::string& backend) {
  return {backend + " exported", backend, true,
          [=](Runtime& runtime, const NameForm& form) { return check_export(runtime, form, backend); }};
}

}  // namespace

std::vector<NameWay> name_ways(Devices devices, bool thorough) {
  std::vector<NameWay> ways = {launched_by("cpu", true), exported_by("cpu")};
  for (const char* const backend : {"nvrtc", "cuda"}) {
    ways.push_back(compiled_by(backend, "cuda:sm_90"));
    if (!thorough && backend == std::string("cuda")) continue;  // nvcc takes three seconds a form
    ways.push_back(ready_by(backend, "cubin"));
    ways.push_back(compiled_by(backend, "cuda:compute_90"));
    ways.push_back(ready_by(backend, "ptx"));
    if (devices == Devices::kNone) continue;
    ways.push_back(launched_by(backend, devices == Devices::kReal));
    ways.push_back(exported_by(backend));
  }
  ways.push_back(compiled_by("hip", "hip:gfx90a"));
  return ways;
}

}  // namespace kmux::strangers
