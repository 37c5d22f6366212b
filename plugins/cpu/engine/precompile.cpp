#include "engine/precompile.h"

#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "clang/Serialization/ASTWriter.h"
#include "clang/Serialization/PCHContainerOperations.h"
#include "llvm/Support/raw_ostream.h"

namespace kmux::cpu {
namespace {

namespace vfs = llvm::vfs;

constexpr const char* kPath = "/kmux-preamble/preamble.pch";  // in memory; no such file need exist

// Writes the precompiled form to memory; Clang's own action writes a file.
class Precompile final : public clang::ASTFrontendAction {
 public:
  explicit Precompile(std::shared_ptr<clang::PCHBuffer> buffer) : buffer_(std::move(buffer)) {}

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& instance, llvm::StringRef) override {
    return std::make_unique<clang::PCHGenerator>(instance.getPreprocessor(), instance.getModuleCache(), kPath,
                                                 /*isysroot=*/"", buffer_,
                                                 instance.getFrontendOpts().ModuleFileExtensions);
  }
  clang::TranslationUnitKind getTranslationUnitKind() override { return clang::TU_Prefix; }
  bool hasASTFileSupport() const override { return false; }

 private:
  std::shared_ptr<clang::PCHBuffer> buffer_;
};

// Files that cannot be opened any more once `stopping`: the quickest way to have Clang give up.
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

}  // namespace

std::string precompile(std::shared_ptr<clang::CompilerInvocation> invocation,
                       const llvm::IntrusiveRefCntPtr<vfs::FileSystem>& files, const std::function<bool()>& stopping) {
  // Sources that begin so are longer: only an overridden file may be another when the result is read.
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
  instance.setInvocation(invocation);
  instance.createDiagnostics(new clang::TextDiagnosticPrinter(stream, &instance.getDiagnosticOpts()), true);
  instance.setVerboseOutputStream(llvm::nulls());
  instance.createFileManager(llvm::makeIntrusiveRefCnt<StoppableFiles>(files, stopping));
  const auto buffer = std::make_shared<clang::PCHBuffer>();
  Precompile action(buffer);
  const bool made = instance.ExecuteAction(action) && buffer->IsComplete && log.empty() && !stopping();
  return made ? std::string(buffer->Data.begin(), buffer->Data.end()) : std::string();
}

llvm::IntrusiveRefCntPtr<vfs::FileSystem> begin_with(const Preamble& preamble, clang::CompilerInvocation& invocation,
                                                     const llvm::IntrusiveRefCntPtr<vfs::FileSystem>& files) {
  auto& options = invocation.getPreprocessorOpts();
  options.PrecompiledPreambleBytes = {static_cast<unsigned>(preamble.size), true};
  options.ImplicitPCHInclude = kPath;
  // Who asks for a preamble has checked that text, options and headers are those it was made from.
  options.DisablePCHOrModuleValidation = clang::DisableValidationForModuleKind::PCH;
  auto memory = llvm::makeIntrusiveRefCnt<vfs::InMemoryFileSystem>();
  memory->addFile(kPath, 0, llvm::MemoryBuffer::getMemBuffer(*preamble.precompiled, kPath, false));
  auto overlay = llvm::makeIntrusiveRefCnt<vfs::OverlayFileSystem>(files);
  overlay->pushOverlay(memory);
  return overlay;
}

}  // namespace kmux::cpu
