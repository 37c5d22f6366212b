#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/dispatch.h"
#include "kmux/error.h"

#include "clang/Frontend/CompilerInvocation.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "simt/frontend/job.h"
#include "simt/frontend/preamble_store.h"
#include "simt/frontend/source_functions.h"

namespace clang {
class CodeGenerator;
class CompilerInstance;
}  // namespace clang

namespace kmux::simt {

/// Returns a file system in which relative paths name `files` and absolute ones the machine's own files. Thus the
/// process's working directory cannot affect a compilation, and messages show the program's own paths.
///
/// Lifetime: borrows the contents of `files`, which must be valid until the last use of the file system.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> memory_files(std::span<const File> files);

class CorrectedTexts;

/// Adds the attributes kRecord... and kTensorMapRecord to the functions of `module`, which `generator` has made.
void mark_records(clang::CodeGenerator& generator, llvm::Module& module);

/// The IR of one source, and the options that later passes need.
struct TranslationUnit {
  std::unique_ptr<llvm::Module> module;  // with kRecordBytes
  unsigned opt_level = 3;
  std::vector<std::string> features;  // instruction-set features in force
};

/// Prepares `instance` to read the input of `invocation` among `files`, and to write its messages to `log`.
void begin(clang::CompilerInstance& instance, std::shared_ptr<clang::CompilerInvocation> invocation,
           const llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>& files, llvm::raw_ostream& log);

/// Compiles text to unoptimised LLVM IR with Clang, in this process.
///
/// Threads: any, concurrently with different contexts.
class FrontEnd {
 public:
  /// Compiles the file `path` of `files` with the driver arguments `arguments`. Appends messages to `log`. The file
  /// must begin with `preamble`. `language` is kCuda for a device dialect.
  ///
  /// Errors: compile_failed with `log`; unsupported for constructs that only a GPU has; invalid_argument for an
  ///         argument that the driver refuses.
  Result<TranslationUnit> compile(llvm::LLVMContext& context, const std::string& path,
                                  const std::vector<std::string>& arguments,
                                  const llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>& files, std::string& log,
                                  const Preamble& preamble = {}, Language language = Language::kCpp);

  /// Returns the precompiled form of the file `path` of `files`, a preamble, for other sources that begin with it.
  /// Returns an empty string if it has errors or warnings (which would be lost), or once `stopping` returns true.
  std::string precompile(const std::string& path, const std::vector<std::string>& arguments,
                         const llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>& files,
                         const std::function<bool()>& stopping);

  /// Returns the functions that the file `path` of `files` defines and a launch can name.
  ///
  /// Errors: compile_failed with the compiler's messages if the source has errors, unless the first is about a header
  ///         and some function is found; invalid_argument for an argument that the driver refuses.
  Result<SourceFunctions> functions(const std::string& path, const std::vector<std::string>& arguments,
                                    const llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>& files, Language language);

  /// Returns the folders in which `#include` searches after those of "-I", with these driver arguments.
  Result<std::vector<std::string>> system_folders(const std::vector<std::string>& arguments);

 private:
  using Arguments = std::vector<std::string>;
  using Files = llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>;
  using Invocation = std::shared_ptr<clang::CompilerInvocation>;
  struct Source {
    const std::string& path;
    const Arguments& arguments;
    Files files;
    const Preamble& preamble;
    Language language;
  };
  Result<bool> parse(llvm::LLVMContext& context, const Source& source, const CorrectedTexts* corrected,
                     TranslationUnit& unit, std::string& log);
  Result<TranslationUnit> compile_device(llvm::LLVMContext& context, Source source, std::string& log);
  Result<Invocation> invocation(const std::string& path, const Arguments& arguments, const Files& files);
  Result<Invocation> shared_invocation(const Arguments& arguments, const Files& files);

  std::mutex mutex_;
  // The driver searches the file system for GCC's headers, so it runs once per argument list. Its results are copied.
  std::map<Arguments, Invocation> invocations_;
};

}  // namespace kmux::simt
