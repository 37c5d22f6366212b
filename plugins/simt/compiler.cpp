#include "simt/compiler.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "kmux/plugin/compile_log.h"
#include "kmux/plugin/sha256.h"
#include "kmux/plugin/word_list.h"

#include "clang/Basic/Version.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/TargetParser/Host.h"
#include "simt/analysis/names.h"
#include "simt/codegen/messages.h"
#include "simt/codegen/target_machine.h"
#include "simt/frontend/front_end.h"
#include "simt/frontend/installation.h"
#include "simt/frontend/job.h"
#include "simt/frontend/math_unit.h"
#include "simt/frontend/preamble_store.h"
#include "simt/link/module_link.h"
#include "simt/pipeline.h"

namespace kmux::simt {
namespace {

using Files = llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>;

constexpr const char* kLauncherPath = "kmux-launcher.cpp";
constexpr const char* kMathPath = "kmux-math.cpp";
constexpr const char* kPrefixPath = "kmux-prefix.cpp";

// -fdeclspec is needed by device/threads.h to read threadIdx.x. A char is signed on a GPU, but not in C on AArch64.
// Device code neither throws nor catches, but a failed assertion leaves it as an exception (runtime/launch.h), which
// needs the tables. A cast of a number that is too large returns the largest, as on a GPU. nvcc warns of "register"
// where C++17 forbids it, and of narrowing in braces. A variable that only one lane has set may go to __shfl_sync in all
// lanes, so no argument promises to be defined. Nor must a function return a value that no caller reads.
constexpr const char* kDeviceFlags[] = {"-fdeclspec",
                                        "-fsigned-char",
                                        "-nostdinc",
                                        "-nostdinc++",
                                        "-fno-exceptions",
                                        "-Wno-error=register",
                                        "-Wno-error=c++11-narrowing",
                                        "-Xclang",
                                        "-no-enable-noundef-analysis",
                                        "-fno-strict-return",
                                        "-fasynchronous-unwind-tables",
                                        "-fno-strict-float-cast-overflow"};

// On AArch64 Clang takes "native" for the processor's name with all features that it promises. For this machine's own
// processor the actual features are passed: a virtual machine may hide some, and a processor that LLVM does not know by
// name may have more.
std::vector<std::string> processor_arguments(const std::string& cpu) {
  const bool is_own = cpu == host_cpu().name;
  if (!is_aarch64(triple_of(cpu))) return {"-march=" + (is_own ? "native" : cpu)};
  std::vector<std::string> arguments = {"--target=" + triple_of(cpu), "-mcpu=" + cpu};
  if (!is_own) return arguments;
  for (const std::string& feature : checkable_features(host_triple())) {
    const char* const sign = host_cpu().features.contains(feature) ? "+" : "-";
    for (const std::string& more :
         {std::string("-Xclang"), std::string("-target-feature"), std::string("-Xclang"), sign + feature})
      arguments.push_back(more);
  }
  return arguments;
}

std::vector<std::string> shared_arguments(const CompileJob& job, Language language, const std::string& processor) {
  std::vector<std::string> arguments = {"-x",
                                        language == Language::kC ? "c" : "c++",
                                        "-fPIC",
                                        "-O" + std::to_string(job.opt_level),
                                        "-fno-math-errno",
                                        "-I.",
                                        "-fno-color-diagnostics"};
  const std::vector<std::string> of_processor = processor_arguments(processor);
  arguments.insert(arguments.end(), of_processor.begin(), of_processor.end());
  // LLVM 19 schedules code for Zen 4 better with its model of Zen 3: 2 % on a blocked GEMM (docs/design/0006-tiers.md).
  if (processor == "znver4") arguments.emplace_back("-mtune=znver3");
  // LLVM halves the vectors of Intel's AVX-512, for the sake of loops that use few. A CUDA kernel consists of vectors.
  if (!job.blocks.empty() && !is_aarch64(triple_of(processor))) arguments.emplace_back("-mprefer-vector-width=512");
  if (language == Language::kCuda) arguments.insert(arguments.end(), std::begin(kDeviceFlags), std::end(kDeviceFlags));
  if (job.has_lines) arguments.emplace_back("-gline-tables-only");
  return arguments;
}

std::vector<std::string> unit_arguments(const CompileJob& job, const Unit& unit) {
  std::vector<std::string> arguments = shared_arguments(job, unit.language, job.cpu);
  arguments.insert(arguments.end(), unit.arguments.begin(), unit.arguments.end());
  return arguments;
}

std::vector<std::string> launcher_arguments(const CompileJob& job) {
  std::vector<std::string> arguments =
      shared_arguments(job, Language::kCpp, job.launcher_cpu.empty() ? job.cpu : job.launcher_cpu);
  for (const char* more : {"-std=c++20", "-nostdinc", "-w"}) arguments.emplace_back(more);
  return arguments;
}

// The text itself controls contraction and the like.
std::vector<std::string> math_arguments(const CompileJob& job) {
  std::vector<std::string> arguments = shared_arguments(job, Language::kCpp, job.cpu);
  for (const char* more : {"-std=c++20", "-nostdinc", "-w"}) arguments.emplace_back(more);
  return arguments;
}

// Returns those of `features` that a machine can be queried for, each once.
std::vector<std::string> checkable(std::vector<std::string> features, const std::string& cpu) {
  const std::optional<Processor> promised = find_cpu(cpu);
  const bool is_of_this_kind = triple_of(cpu) == host_triple();
  std::erase_if(features, [&](const std::string& feature) {
    const bool is_here = is_of_this_kind && host_cpu().features.contains(feature);
    return !is_here && !(promised && promised->features.contains(feature));
  });
  std::sort(features.begin(), features.end());
  features.erase(std::unique(features.begin(), features.end()), features.end());
  return features;
}

// Returns true if any of `files` may include the source `path`: it must contain the file's name.
bool mention(const std::vector<File>& files, const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  return std::ranges::any_of(files, [&](const File& file) { return file.content.find(name) != std::string::npos; });
}

// Returns a key of all that decides the meaning of a preamble. `files` must have the preamble in place of the source.
std::string preamble_key(const CompileJob& job, const Unit& unit, const std::vector<File>& files,
                         const std::vector<std::string>& arguments) {
  std::string key = job.header_stamp + '\n' + unit.path;
  const auto add = [&](const std::string& text) { key += '\n' + std::to_string(text.size()) + ' ' + text; };
  for (const std::string& argument : arguments) add(argument);
  for (const File& file : files) {
    const bool is_source = std::ranges::find(job.units, file.path, &Unit::path) != job.units.end();
    if (is_source && file.path != unit.path && !mention(files, file.path)) continue;
    add(file.path);
    add(file.content);
  }
  return sha256_hex(key);
}

bool has_file(const std::vector<File>& files, const std::string& path) {
  return std::ranges::find(files, path, &File::path) != files.end();
}

// Returns the `#include` lines at the beginning of `source`, up to the first that names no header of the device folder.
// `files` must have these headers.
std::string first_headers(std::string_view source, const std::vector<File>& files) {
  std::string text;
  for (const std::string& name : included_first(source)) {
    if (!has_file(files, std::string(kDeviceFolder) + name) || has_file(files, name)) break;
    text += "#include <" + name + ">\n";
  }
  return text;
}

// Returns the files of `job`. Headers of the device folder that its sources include first come before the program's
// macros, too.
std::vector<File> files_of(const CompileJob& job) {
  std::vector<File> files = job.files;
  const auto macros = std::ranges::find(files, kMacrosPath, &File::path);
  if (macros == files.end()) return files;
  std::string first;
  for (const Unit& unit : job.units) {
    const auto source = std::ranges::find(job.files, unit.path, &File::path);
    if (source != job.files.end()) first += first_headers(source->content, job.files);
  }
  macros->content.insert(0, first);
  return files;
}

bool has_fused_multiply_add(const std::string& cpu) {
  if (is_aarch64(triple_of(cpu))) return true;
  if (cpu == host_cpu().name) return host_cpu().features.contains("fma");
  const std::optional<Processor> known = find_cpu(cpu);
  return known && known->features.contains("fma");
}

bool has_error(const std::string& log) { return !first_error(log).empty(); }

}  // namespace

struct Compiler::Impl {
  /// A preamble that the store lacks, and the function that makes it.
  struct Missing {
    std::string key;
    PreambleStore::Make make;
  };

  FrontEnd front_end;
  PreambleStore preambles;  // its jobs use the front end

  Preamble preamble_of(const CompileJob& job, const Unit& unit, std::vector<Missing>& missing);
  Preamble prefix_of(const CompileJob& job, const Unit& unit, std::vector<Missing>& missing);
  Preamble begin_with(const std::string& path, std::size_t size, const std::string& key, std::vector<File> files,
                      const std::vector<std::string>& arguments, std::vector<Missing>& missing);
  Result<TranslationUnit> parse_unit(llvm::LLVMContext& context, const CompileJob& job, const Unit& unit,
                                     const Files& files, CompiledObject& result, std::vector<Missing>& missing);
  Result<TranslationUnit> parse(llvm::LLVMContext& context, const CompileJob& job, CompiledObject& result,
                                std::vector<std::unique_ptr<llvm::Module>>& modules, std::vector<Missing>& missing);
  Status add_math(llvm::LLVMContext& context, const CompileJob& job, std::string& log,
                  std::vector<std::unique_ptr<llvm::Module>>& modules);
  Result<CompiledObject> compile(const CompileJob& job, std::vector<Missing>& missing);
  Result<CompiledObject> find_place(CompileJob job);
};

// Returns the preamble of `key` for the first `size` bytes of a source. If it has not been compiled in advance, adds it
// to `missing`, to be made from file `path` of `files`.
Preamble Compiler::Impl::begin_with(const std::string& path, std::size_t size, const std::string& key,
                                    std::vector<File> files, const std::vector<std::string>& arguments,
                                    std::vector<Missing>& missing) {
  if (auto precompiled = preambles.find(key)) return {size, std::move(precompiled)};
  missing.push_back({key, [this, path, files = std::move(files), arguments](const auto& stopping) {
                       return front_end.precompile(path, arguments, memory_files(files), stopping);
                     }});
  return {};
}

// Returns the preamble of the headers that `unit` begins with.
Preamble Compiler::Impl::preamble_of(const CompileJob& job, const Unit& unit, std::vector<Missing>& missing) {
  if (unit.language == Language::kCuda) return prefix_of(job, unit, missing);
  std::vector<File> files = job.files;
  const auto source = std::ranges::find(files, unit.path, &File::path);
  if (job.header_stamp.empty() || source == files.end()) return {};
  source->content.resize(preamble_size(source->content));
  if (source->content.empty() || mention(files, unit.path)) return {};
  const std::vector<std::string> arguments = unit_arguments(job, unit);
  const std::size_t size = source->content.size();
  const std::string key = preamble_key(job, unit, files, arguments);
  return begin_with(unit.path, size, key, std::move(files), arguments, missing);
}

// Returns the preamble of every CUDA source, with the plugin's own headers that this one begins with. It is the same
// for all sources and made once; small ones then compile in a tenth of the time.
Preamble Compiler::Impl::prefix_of(const CompileJob& job, const Unit& unit, std::vector<Missing>& missing) {
  std::vector<std::string> arguments = unit_arguments(job, unit);
  if (const auto macros = std::ranges::find(arguments, kMacrosPath); macros != arguments.end())
    arguments.erase(macros - 1, macros + 1);  // the macros and their "-include" come later
  const auto source = std::ranges::find(job.files, unit.path, &File::path);
  if (source == job.files.end() || std::ranges::count(arguments, "-include") != 1) return {};
  std::vector<File> files;
  std::ranges::copy_if(job.files, std::back_inserter(files),
                       [](const File& file) { return file.path.starts_with(kDeviceFolder); });
  std::string text = first_headers(source->content, job.files);
  const std::string key = sha256_hex(join(arguments) + "\n" + text);
  files.push_back({kPrefixPath, std::move(text)});
  return begin_with(kPrefixPath, 0, key, std::move(files), arguments, missing);
}

// Uses the preamble, if it is ready. A source that fails is compiled again without, so that its messages are complete.
Result<TranslationUnit> Compiler::Impl::parse_unit(llvm::LLVMContext& context, const CompileJob& job, const Unit& unit,
                                                   const Files& files, CompiledObject& result,
                                                   std::vector<Missing>& missing) {
  const std::vector<std::string> arguments = unit_arguments(job, unit);
  if (const Preamble preamble = preamble_of(job, unit, missing); preamble.precompiled) {
    std::string text;
    auto made = front_end.compile(context, unit.path, arguments, files, text, preamble, unit.language);
    if (made) {
      result.log += text;
      ++result.preambles;
      return made;
    }
  }
  return front_end.compile(context, unit.path, arguments, files, result.log, {}, unit.language);
}

// Appends the units' IR to `modules` and returns the launcher's. Adds messages and features to `result`.
Result<TranslationUnit> Compiler::Impl::parse(llvm::LLVMContext& context, const CompileJob& job, CompiledObject& result,
                                              std::vector<std::unique_ptr<llvm::Module>>& modules,
                                              std::vector<Missing>& missing) {
  std::vector<File> files = files_of(job);
  files.push_back({kLauncherPath, job.launcher});
  const auto file_system = memory_files(files);
  unsigned opt_level = 0;
  const auto add = [&](const TranslationUnit& unit) {
    opt_level = std::max(opt_level, unit.opt_level);
    result.features.insert(result.features.end(), unit.features.begin(), unit.features.end());
  };
  for (const Unit& unit : job.units) {
    KMUX_ASSIGN(TranslationUnit made, parse_unit(context, job, unit, file_system, result, missing));
    add(made);
    modules.push_back(std::move(made.module));
  }
  KMUX_ASSIGN(TranslationUnit launcher,
              front_end.compile(context, kLauncherPath, launcher_arguments(job), file_system, result.log));
  if (job.units.empty()) opt_level = launcher.opt_level;  // else the user's -O decides
  add({nullptr, opt_level, launcher.features});
  launcher.opt_level = opt_level;
  return launcher;
}

// Without fused multiply-add the C library's functions are faster: they choose code by the processor at run time.
Status Compiler::Impl::add_math(llvm::LLVMContext& context, const CompileJob& job, std::string& log,
                                std::vector<std::unique_ptr<llvm::Module>>& modules) {
  if (!has_fused_multiply_add(job.cpu)) return Ok{};
  const std::set<std::string> functions = redirect_math(modules);
  if (functions.empty()) return Ok{};
  const std::vector<File> files = {{kMathPath, math_unit(functions)}};
  const auto file_system = memory_files(files);
  KMUX_ASSIGN(TranslationUnit made, front_end.compile(context, kMathPath, math_arguments(job), file_system, log));
  modules.push_back(std::move(made.module));
  return Ok{};
}

Result<CompiledObject> Compiler::Impl::compile(const CompileJob& job, std::vector<Missing>& missing) {
  CompiledObject result;
  std::string log;
  llvm::LLVMContext context;  // outlives its modules
  std::vector<std::unique_ptr<llvm::Module>> modules;
  KMUX_ASSIGN(TranslationUnit launcher, parse(context, job, result, modules, missing));
  KMUX_TRY(add_math(context, job, result.log, modules));
  result.features = checkable(std::move(result.features), job.cpu);
  bool names_lines = false;
  capture_messages(context, log, names_lines);
  const LowerKernels lower = [&](llvm::Module& units) { return lower_kernels(units, job.blocks, job.check); };
  KMUX_ASSIGN(LinkedModule whole, link_modules(std::move(modules), std::move(launcher.module), job, log, lower));
  result.on_fibers = std::move(whole.on_fibers);
  result.variables = std::move(whole.variables);
  KMUX_ASSIGN(const auto machine, make_target_machine(job.cpu, launcher.opt_level, job.tier));
  optimize(*whole.module, *machine, launcher.opt_level, job.tier, !job.blocks.empty());
  KMUX_ASSIGN(result.object, emit_object(*whole.module, *machine));
  if (has_error(log)) return compile_error("cannot generate code", result.log + log);
  result.log += log;
  if (names_lines && !job.has_lines) {
    if (const auto again = find_place(job)) result.log = again->log;
  }
  result.compiler = compiler_version();
  return result;
}

// Compiles `job` again with line information, for the line of its error: lines are generated only for that message.
Result<CompiledObject> Compiler::Impl::find_place(CompileJob job) {
  job.has_lines = true;
  std::vector<Missing> missing;
  return compile(job, missing);
}

Compiler::Compiler() : impl_(std::make_unique<Impl>()) { initialize_llvm(); }
Compiler::~Compiler() = default;

// Headers are compiled in advance after the kernel is ready: at the same time they would double its compile time.
Result<CompiledObject> Compiler::compile(const CompileJob& job) {
  std::vector<Impl::Missing> missing;
  auto compiled = impl_->compile(job, missing);
  if (!compiled && compiled.error().code == ErrorCode::kUnsupported && !job.has_lines) return impl_->find_place(job);
  for (Impl::Missing& one : missing) (void)impl_->preambles.find_or_request(one.key, one.make);
  return compiled;
}

void Compiler::wait_for_preambles() { impl_->preambles.wait(); }

Result<SourceFunctions> Compiler::functions(const CompileJob& job) {
  const Unit& unit = job.units.front();
  return impl_->front_end.functions(unit.path, unit_arguments(job, unit), memory_files(files_of(job)), unit.language);
}

Result<std::vector<std::string>> Compiler::system_folders(const CompileJob& job, Language language) {
  return impl_->front_end.system_folders(shared_arguments(job, language, job.cpu));
}

namespace {

std::unique_ptr<llvm::MCSubtargetInfo> subtarget_of(llvm::StringRef cpu) {
  initialize_llvm();
  std::string ignored;
  const std::string& triple = triple_of(cpu);
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, ignored);
  if (!target) return nullptr;
  return std::unique_ptr<llvm::MCSubtargetInfo>(target->createMCSubtargetInfo(triple, cpu, ""));
}

std::vector<std::string> find_compiler_libraries() {
  const std::string clang = library_of(reinterpret_cast<void*>(&clang::getClangFullVersion));
  const std::string llvm = library_of(reinterpret_cast<void*>(&llvm::sys::getProcessTriple));
  if (clang == own_library()) return {};
  return clang == llvm ? std::vector<std::string>{clang} : std::vector<std::string>{clang, llvm};
}

std::optional<Processor> ask_for_cpu(std::string_view name) {
  if (!llvm::is_contained(known_cpus(), name)) return std::nullopt;
  const auto subtarget = subtarget_of(name);
  if (!subtarget || !subtarget->isCPUStringValid(name)) return std::nullopt;
  Processor processor{std::string(name), {}};
  for (const std::string& feature : checkable_features(triple_of(name))) {
    if (subtarget->checkFeatures("+" + feature)) processor.features.insert(feature);
  }
  return processor;
}

}  // namespace

// Queries LLVM once per name: a query takes a fortieth of a small kernel's compile time.
std::optional<Processor> find_cpu(std::string_view name) {
  static std::mutex mutex;
  static std::map<std::string, Processor, std::less<>> answers;
  const std::lock_guard lock(mutex);
  const auto known = answers.find(name);
  if (known != answers.end()) return known->second;
  const std::optional<Processor> answer = ask_for_cpu(name);
  if (answer) answers.emplace(name, *answer);  // unknown names are not cached: their number is unlimited
  return answer;
}

std::vector<std::string> compiler_libraries() {
  static const std::vector<std::string> found = find_compiler_libraries();
  return found;
}

}  // namespace kmux::simt
