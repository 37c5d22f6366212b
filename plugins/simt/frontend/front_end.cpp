#include "simt/frontend/front_end.h"

#include "kmux/plugin/compile_log.h"
#include "kmux/plugin/device_part.h"

#include "clang/AST/ASTContext.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Basic/TargetInfo.h"
#include "clang/CodeGen/CodeGenAction.h"
#include "clang/CodeGen/ModuleBuilder.h"
#include "clang/Driver/Compilation.h"
#include "clang/Driver/Driver.h"
#include "clang/Driver/Job.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "clang/Serialization/ASTWriter.h"
#include "clang/Serialization/PCHContainerOperations.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "simt/frontend/assembly_constraints.h"
#include "simt/frontend/device_arithmetic.h"
#include "simt/frontend/host_functions.h"
#include "simt/frontend/installation.h"
#include "simt/frontend/job.h"
#include "simt/frontend/math_unit.h"
#include "simt/frontend/missing_templates.h"
#include "simt/frontend/refused_text.h"
#include "simt/transforms/defined_arithmetic.h"
#include "simt/transforms/inline_assembly.h"

namespace kmux::simt {
namespace {

namespace vfs = llvm::vfs;

// The folder of relative paths. It need not exist, and output that shows it does not depend on the machine.
constexpr const char* kProgramFolder = "/kmux";

// The machine's files, by absolute paths only.
class AbsoluteFiles final : public vfs::ProxyFileSystem {
 public:
  using ProxyFileSystem::ProxyFileSystem;

  llvm::ErrorOr<vfs::Status> status(const llvm::Twine& path) override {
    if (!llvm::sys::path::is_absolute(path)) return missing();
    return ProxyFileSystem::status(path);
  }
  bool exists(const llvm::Twine& path) override {
    return llvm::sys::path::is_absolute(path) && ProxyFileSystem::exists(path);
  }
  llvm::ErrorOr<std::unique_ptr<vfs::File>> openFileForRead(const llvm::Twine& path) override {
    if (!llvm::sys::path::is_absolute(path)) return missing();
    return ProxyFileSystem::openFileForRead(path);
  }
  vfs::directory_iterator dir_begin(const llvm::Twine& path, std::error_code& error) override {
    if (llvm::sys::path::is_absolute(path)) return ProxyFileSystem::dir_begin(path, error);
    error = missing();
    return {};
  }
  llvm::ErrorOr<std::string> getCurrentWorkingDirectory() const override { return std::string(kProgramFolder); }
  std::error_code setCurrentWorkingDirectory(const llvm::Twine&) override { return {}; }

 private:
  static std::error_code missing() { return std::make_error_code(std::errc::no_such_file_or_directory); }
};

}  // namespace

llvm::IntrusiveRefCntPtr<vfs::FileSystem> memory_files(std::span<const File> files) {
  auto memory = llvm::makeIntrusiveRefCnt<vfs::InMemoryFileSystem>();
  for (const File& file : files) {
    memory->addFile(kProgramFolder + ("/" + file.path), 0, llvm::MemoryBuffer::getMemBuffer(file.content, file.path));
  }
  llvm::IntrusiveRefCntPtr<vfs::FileSystem> machine(vfs::createPhysicalFileSystem().release());
  auto overlay = llvm::makeIntrusiveRefCnt<vfs::OverlayFileSystem>(llvm::makeIntrusiveRefCnt<AbsoluteFiles>(machine));
  overlay->pushOverlay(memory);
  return overlay;
}

namespace {

constexpr const char* kPreamblePath = "/kmux-preamble/preamble.pch";  // in memory; no such file need exist

// Writes the precompiled form to memory; Clang's own action writes a file.
class Precompile final : public clang::ASTFrontendAction {
 public:
  explicit Precompile(std::shared_ptr<clang::PCHBuffer> buffer) : buffer_(std::move(buffer)) {}

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& instance, llvm::StringRef) override {
    return std::make_unique<clang::PCHGenerator>(instance.getPreprocessor(), instance.getModuleCache(), kPreamblePath,
                                                 /*isysroot=*/"", buffer_,
                                                 instance.getFrontendOpts().ModuleFileExtensions);
  }
  clang::TranslationUnitKind getTranslationUnitKind() override { return clang::TU_Prefix; }
  bool hasASTFileSupport() const override { return false; }

 private:
  std::shared_ptr<clang::PCHBuffer> buffer_;
};

// Refuses to open files once `stopping` returns true: the quickest way to make Clang give up.
class StoppableFiles final : public vfs::ProxyFileSystem {
 public:
  StoppableFiles(llvm::IntrusiveRefCntPtr<vfs::FileSystem> files, std::function<bool()> stopping)
      : ProxyFileSystem(std::move(files)), stopping_(std::move(stopping)) {}
  llvm::ErrorOr<std::unique_ptr<vfs::File>> openFileForRead(const llvm::Twine& path) override {
    if (stopping_()) return std::make_error_code(std::errc::operation_canceled);
    return ProxyFileSystem::openFileForRead(path);
  }

 private:
  std::function<bool()> stopping_;
};

// Returns the precompiled form of the input of `invocation`, a preamble; empty if it fails.
std::string precompile(std::shared_ptr<clang::CompilerInvocation> invocation,
                       const llvm::IntrusiveRefCntPtr<vfs::FileSystem>& files, const std::function<bool()>& stopping) {
  // Sources with this preamble are longer: only an overridden file may differ when the result is read.
  const std::string path = invocation->getFrontendOpts().Inputs.front().getFile().str();
  auto text = files->getBufferForFile(path);
  if (!text) return "";
  invocation->getPreprocessorOpts().addRemappedFile(path, text->release());  // the SourceManager owns it
  invocation->getFrontendOpts().ProgramAction = clang::frontend::GeneratePCH;
  invocation->getPreprocessorOpts().GeneratePreamble = true;
  auto& language = invocation->getLangOpts();
  language.CompilingPCH = true;
  language.PCHInstantiateTemplates = true;  // else every source instantiates them again
  std::string log;
  llvm::raw_string_ostream stream(log);
  clang::CompilerInstance instance;
  begin(instance, invocation, llvm::makeIntrusiveRefCnt<StoppableFiles>(files, stopping), stream);
  const auto buffer = std::make_shared<clang::PCHBuffer>();
  Precompile action(buffer);
  const bool made = instance.ExecuteAction(action) && buffer->IsComplete && log.empty() && !stopping();
  return made ? std::string(buffer->Data.begin(), buffer->Data.end()) : std::string();
}

// Makes `invocation` use `preamble` instead of the first bytes of its input. Returns the files that it then needs,
// which borrow `preamble`.
llvm::IntrusiveRefCntPtr<vfs::FileSystem> begin_with(const Preamble& preamble, clang::CompilerInvocation& invocation,
                                                     const llvm::IntrusiveRefCntPtr<vfs::FileSystem>& files) {
  auto& options = invocation.getPreprocessorOpts();
  options.PrecompiledPreambleBytes = {static_cast<unsigned>(preamble.size), true};
  if (preamble.size == 0) options.Includes.erase(options.Includes.begin());  // the preamble replaces it
  options.ImplicitPCHInclude = kPreamblePath;
  // The caller has checked that the preamble was made from this text, these options and these headers.
  options.DisablePCHOrModuleValidation = clang::DisableValidationForModuleKind::PCH;
  auto memory = llvm::makeIntrusiveRefCnt<vfs::InMemoryFileSystem>();
  memory->addFile(kPreamblePath, 0, llvm::MemoryBuffer::getMemBuffer(*preamble.precompiled, kPreamblePath, false));
  auto overlay = llvm::makeIntrusiveRefCnt<vfs::OverlayFileSystem>(files);
  overlay->pushOverlay(memory);
  return overlay;
}

// A diagnostics engine whose text can be read, for the steps before a CompilerInstance exists.
class TextDiagnostics {
 public:
  TextDiagnostics()
      : stream_(text_),
        options_(new clang::DiagnosticOptions),
        engine_(new clang::DiagnosticIDs, options_, new clang::TextDiagnosticPrinter(stream_, options_.get())) {}
  clang::DiagnosticsEngine& engine() { return engine_; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  llvm::raw_string_ostream stream_;
  llvm::IntrusiveRefCntPtr<clang::DiagnosticOptions> options_;
  clang::DiagnosticsEngine engine_;
};

std::vector<const char*> pointers(const std::vector<std::string>& texts) {
  std::vector<const char*> result;
  result.reserve(texts.size());
  for (const std::string& text : texts) result.push_back(text.c_str());
  return result;
}

Error refused_arguments(const std::string& log) {
  std::string_view line = first_error(log);
  if (line.starts_with("error: ")) line.remove_prefix(7);
  return make_error(ErrorCode::kInvalidArgument,
                    "the compiler refuses its options (" + std::string(line) + "). Correct or remove the flag.")
      .with("log", log);
}

// Removes the folders of CPATH and its like, which would change the meaning of a source from one process to the next.
void forget_environment(clang::HeaderSearchOptions& search, const std::vector<std::string>& arguments) {
  namespace frontend = clang::frontend;
  llvm::erase_if(search.UserEntries, [&](const clang::HeaderSearchOptions::Entry& entry) {
    if (entry.Group == frontend::Angled) return !llvm::is_contained(arguments, "-I" + entry.Path);
    return entry.Group == frontend::CSystem || entry.Group == frontend::CXXSystem;
  });
}

constexpr std::size_t kMaxCachedLists = 256;

// Returns the arguments of Clang itself, without "-cc1", that the driver makes of `driver_arguments`.
Result<std::vector<std::string>> cc1_arguments(const std::vector<std::string>& driver_arguments,
                                               const llvm::IntrusiveRefCntPtr<vfs::FileSystem>& files) {
  const std::string resources = resource_dir_or_default();
  TextDiagnostics diagnostics;
  // The driver only derives paths from its program's name; the file need not exist.
  clang::driver::Driver driver(resources + "/../../../bin/clang", host_triple(), diagnostics.engine(), "kmux", files);
  driver.setCheckInputsExist(false);
  std::vector<std::string> arguments = {"clang", "-c", "--no-default-config", "-resource-dir", resources};
  arguments.insert(arguments.end(), driver_arguments.begin(), driver_arguments.end());
  arguments.emplace_back("input");
  const std::unique_ptr<clang::driver::Compilation> compilation(driver.BuildCompilation(pointers(arguments)));
  if (!compilation || diagnostics.engine().hasErrorOccurred()) return refused_arguments(diagnostics.text());
  if (compilation->getJobs().size() != 1) return refused_arguments("error: these flags ask for more than one step");
  const auto& job = compilation->getJobs().begin()->getArguments();
  return std::vector<std::string>(job.begin() + 1, job.end());
}

// Returns the invocation of a file that is not named yet.
Result<std::shared_ptr<clang::CompilerInvocation>> make_invocation(
    const std::vector<std::string>& arguments, const llvm::IntrusiveRefCntPtr<vfs::FileSystem>& files) {
  KMUX_ASSIGN(const std::vector<std::string> cc1, cc1_arguments(arguments, files));
  TextDiagnostics diagnostics;
  auto made = std::make_shared<clang::CompilerInvocation>();
  if (!clang::CompilerInvocation::CreateFromArgs(*made, pointers(cc1), diagnostics.engine())) {
    return refused_arguments(diagnostics.text());
  }
  forget_environment(made->getHeaderSearchOpts(), arguments);
  auto& front_end = made->getFrontendOpts();
  front_end.ProgramAction = clang::frontend::EmitLLVMOnly;
  front_end.DisableFree = false;  // the driver sets both: every syntax tree would leak
  auto& code_gen = made->getCodeGenOpts();
  code_gen.DisableFree = false;
  code_gen.DisableLLVMPasses = true;  // the pipeline runs once, over all modules linked
  return made;
}

}  // namespace

Result<FrontEnd::Invocation> FrontEnd::shared_invocation(const Arguments& arguments, const Files& files) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = invocations_.find(arguments); found != invocations_.end()) return found->second;
  }
  KMUX_ASSIGN(Invocation made, make_invocation(arguments, files));
  const std::lock_guard lock(mutex_);
  if (invocations_.size() >= kMaxCachedLists) invocations_.clear();
  return invocations_[arguments] = std::move(made);
}

Result<FrontEnd::Invocation> FrontEnd::invocation(const std::string& path, const Arguments& arguments,
                                                  const Files& files) {
  KMUX_ASSIGN(const Invocation shared, shared_invocation(arguments, files));
  auto made = std::make_shared<clang::CompilerInvocation>(*shared);  // with separate options
  auto& front_end = made->getFrontendOpts();
  front_end.Inputs = {clang::FrontendInputFile(path, front_end.Inputs.front().getKind())};
  made->getCodeGenOpts().MainFileName = path;
  return made;
}

void begin(clang::CompilerInstance& instance, std::shared_ptr<clang::CompilerInvocation> invocation,
           const llvm::IntrusiveRefCntPtr<vfs::FileSystem>& files, llvm::raw_ostream& log) {
  instance.setInvocation(std::move(invocation));
  // Uses CompilerInstance's own engine, which knows the -W flags and silences system headers.
  instance.createDiagnostics(new clang::TextDiagnosticPrinter(log, &instance.getDiagnosticOpts()), true);
  instance.setVerboseOutputStream(llvm::nulls());  // else "1 error generated." goes to stderr
  instance.createFileManager(files);
}

namespace {

// Emits unoptimised code, with kRecordBytes. Clang's own actions also make a target machine, which is not needed here.
class EmitModule final : public clang::ASTFrontendAction {
 public:
  EmitModule(llvm::LLVMContext& context, Language language) : context_(context), language_(language) {}
  std::unique_ptr<llvm::Module> take_module() { return std::move(module_); }

 private:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& instance,
                                                        llvm::StringRef path) override {
    generator_ = clang::CreateLLVMCodeGen(instance.getDiagnostics(), path, &instance.getVirtualFileSystem(),
                                          instance.getHeaderSearchOpts(), instance.getPreprocessorOpts(),
                                          instance.getCodeGenOpts(), context_);
    return std::unique_ptr<clang::ASTConsumer>(generator_);
  }

  // Marks records while the syntax tree exists.
  void EndSourceFileAction() override {
    llvm::Module* const module = generator_ != nullptr ? generator_->GetModule() : nullptr;
    if (module == nullptr) return;
    mark_records(*generator_, *module);
    if (language_ == Language::kCuda)
      keep_device_arithmetic(*generator_, getCompilerInstance().getSourceManager(), *module);
    module_.reset(generator_->ReleaseModule());
  }

  llvm::LLVMContext& context_;
  const Language language_;
  clang::CodeGenerator* generator_ = nullptr;  // owned by the instance
  std::unique_ptr<llvm::Module> module_;
};

}  // namespace

Result<bool> FrontEnd::parse(llvm::LLVMContext& context, const Source& source, const CorrectedTexts* corrected,
                             TranslationUnit& unit, std::string& log) {
  KMUX_ASSIGN(const auto made, invocation(source.path, source.arguments, source.files));
  if (corrected != nullptr) {
    corrected->apply(made->getPreprocessorOpts());
    made->getDiagnosticOpts().ErrorLimit = 0;  // one compilation finds all places to correct
  }
  llvm::raw_string_ostream stream(log);
  clang::CompilerInstance instance;
  const auto& preamble = source.preamble;
  begin(instance, made, preamble.precompiled ? begin_with(preamble, *made, source.files) : source.files, stream);
  EmitModule action(context, source.language);
  const bool succeeded = instance.ExecuteAction(action);
  unit = {action.take_module(), made->getCodeGenOpts().OptimizationLevel, {}};
  if (!succeeded || !unit.module) return false;
  for (const auto& feature : instance.getTarget().getTargetOpts().FeatureMap) {
    if (feature.second) unit.features.push_back(feature.first().str());
  }
  return true;
}

Result<TranslationUnit> FrontEnd::compile_device(llvm::LLVMContext& context, Source source, std::string& log) {
  KMUX_ASSIGN(const auto made, shared_invocation(source.arguments, source.files));
  source.files = with_host_constraints(source.files, llvm::Triple(made->getTargetOpts().Triple));
  CorrectedTexts corrected;
  MissingTemplates missing(corrected);
  HostFunctions host(corrected);
  TranslationUnit unit;
  std::string text, first;
  for (;;) {
    text.clear();
    KMUX_ASSIGN(const bool is_parsed, parse(context, source, first.empty() ? nullptr : &corrected, unit, text));
    if (is_parsed) break;
    if (first.empty()) first = text;
    const bool is_corrected = !refuses_template(text) &&
                              (missing.add(text, *source.files) || host.leave_out(text, source.path, *source.files));
    if (is_corrected) continue;
    log += refuses_template(text) ? first : text;
    if (auto refusal = refusal_of(log)) return *std::move(refusal);
    return with_advice(device_error(source.path, log), log, advice_for_missing_header);
  }
  log += text + missing.warnings() + host.warnings();
  replace_assembly(*unit.module);
  define_arithmetic(*unit.module);
  fold_mathematics(*unit.module);
  return unit;
}

Result<TranslationUnit> FrontEnd::compile(llvm::LLVMContext& context, const std::string& path,
                                          const Arguments& arguments, const Files& files, std::string& log,
                                          const Preamble& preamble, Language language) {
  const Source source{path, arguments, files, preamble, language};
  if (language == Language::kCuda) return compile_device(context, source, log);
  TranslationUnit unit;
  KMUX_ASSIGN(const bool is_parsed, parse(context, source, nullptr, unit, log));
  if (is_parsed) return unit;
  if (auto refusal = refusal_of(log)) return *std::move(refusal);
  return with_advice(compile_error("cannot compile \"" + path + "\"", log), log);
}

std::string FrontEnd::precompile(const std::string& path, const Arguments& arguments, const Files& files,
                                 const std::function<bool()>& stopping) {
  auto made = invocation(path, arguments, files);
  return made ? kmux::simt::precompile(*made, files, stopping) : std::string();
}

Result<std::vector<std::string>> FrontEnd::system_folders(const Arguments& arguments) {
  KMUX_ASSIGN(const Invocation made, shared_invocation(arguments, llvm::vfs::getRealFileSystem()));
  std::vector<std::string> folders;
  for (const auto& entry : made->getHeaderSearchOpts().UserEntries) {
    const bool is_system = entry.Group == clang::frontend::System || entry.Group == clang::frontend::ExternCSystem;
    if (is_system) folders.push_back(entry.Path);
  }
  return folders;
}

}  // namespace kmux::simt
