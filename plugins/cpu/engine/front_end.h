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
#include "engine/compiler.h"
#include "engine/preamble_store.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/VirtualFileSystem.h"

namespace clang {
class CodeGenerator;
class CompilerInstance;
}  // namespace clang

namespace kmux::cpu {

/// How what device/ refuses begins to say so.
inline constexpr std::string_view kRefusedMark = "not for this processor (";

/// The error for `construct` at `place` ("k.cu:3", or nothing), which is refused with `reason`: kRefusedMark, why, ")".
Error refused_construct(std::string_view place, std::string_view construct, std::string_view reason);

/// The attribute of a function with a parameter whose type device/ refuses: that type's name, ": " and the reason.
inline constexpr const char* kRefusedParameter = "kmux-refused-parameter";

/// The error for a source of a device dialect that uses what only a GPU has, by the compiler's text `log`: the construct,
/// file and line of the first error, if that is of this kind. Headers of device/ say so by #error; spmd::check_text finds the
/// functions that they refuse.
std::optional<Error> refusal_of(std::string_view log);

/// The error for the source `path` of a device dialect, by the compiler's text `log`. One in a header of device/ is told with
/// the file and line of the program that ask for what it is in.
Error device_error(const std::string& path, std::string_view log);

/// Replaces the inline PTX of `module` that has an obvious meaning: what reads the registers %laneid and %lanemask_*, for which
/// CUDA C++ has no function, and an empty text, which only keeps a compiler from moving code, and from knowing its operands.
void replace_assembly(llvm::Module& module);

/// A file system in which relative paths name `files` and absolute ones the machine's own files. So nothing in the
/// process's working directory can take part in a compilation, and messages show the program's own paths.
///
/// Lifetime: borrows the contents of `files`.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> memory_files(std::span<const File> files);

/// The attribute of a parameter that is a record by value: how many bytes it has. What it is passed in, often a wider integer,
/// is the ABI's matter, and looks like a number that the source does not have.
inline constexpr const char* kRecordBytes = "kmux-record-bytes";
/// The attribute of such a parameter that has the alignment of the record, in bytes.
inline constexpr const char* kRecordAlignment = "kmux-record-alignment";
/// The attribute of such a parameter that is the first of several, in which the record comes: how many.
inline constexpr const char* kRecordParts = "kmux-record-parts";

/// The attribute of a kernel that was given the name of its launch: the symbol that it had, which has the types of its parameters.
inline constexpr const char* kKernelSymbol = "kmux-kernel-symbol";

/// Gives the functions of `module`, which `generator` has made, the attributes named kRecord... and kRefusedParameter.
void mark_records(clang::CodeGenerator& generator, llvm::Module& module);

/// What one source became, and what later steps need to know of its options.
struct TranslationUnit {
  std::unique_ptr<llvm::Module> module;  // with kRecordBytes
  unsigned opt_level = 3;
  std::vector<std::string> features;  // instruction-set features in force
};

/// Makes `instance` one that is about to read the input of `invocation` among `files`, and to write its messages to `log`.
void begin(clang::CompilerInstance& instance, std::shared_ptr<clang::CompilerInvocation> invocation,
           const llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>& files, llvm::raw_ostream& log);

/// Clang from text to unoptimised LLVM IR, in this process.
///
/// Threads: any, concurrently with different contexts.
class FrontEnd {
 public:
  /// Compiles the file `path` of `files` with the driver arguments `arguments`; messages are appended to `log`. The file
  /// begins with `preamble`. `language` says whether it is one of a device dialect.
  ///
  /// Errors: compile_failed with `log`; unsupported for what only a GPU has; invalid_argument for an argument that the driver refuses.
  Result<TranslationUnit> compile(llvm::LLVMContext& context, const std::string& path,
                                  const std::vector<std::string>& arguments,
                                  const llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>& files, std::string& log,
                                  const Preamble& preamble = {}, Language language = Language::kCpp);

  /// The precompiled form of the file `path` of `files`, a preamble, for other sources that begin with it. Empty if it has
  /// errors or warnings (which would be lost), or once `stopping` says so.
  std::string precompile(const std::string& path, const std::vector<std::string>& arguments,
                         const llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>& files,
                         const std::function<bool()>& stopping);

  /// The functions that the file `path` of `files` defines and a launch can name.
  ///
  /// Errors: compile_failed with the compiler's messages where it found none; invalid_argument for an argument that the driver refuses.
  Result<SourceFunctions> functions(const std::string& path, const std::vector<std::string>& arguments,
                                    const llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>& files, Language language);

  /// The folders in which `#include` searches after those of "-I", with these driver arguments.
  Result<std::vector<std::string>> system_folders(const std::vector<std::string>& arguments);

 private:
  using Arguments = std::vector<std::string>;
  using Files = llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>;
  using Invocation = std::shared_ptr<clang::CompilerInvocation>;
  Result<Invocation> invocation(const std::string& path, const Arguments& arguments, const Files& files);
  Result<Invocation> shared_invocation(const Arguments& arguments, const Files& files);

  std::mutex mutex_;
  // The driver looks for GCC's headers in the file system, so it runs once a list of arguments. What it found is copied.
  std::map<Arguments, Invocation> invocations_;
};

}  // namespace kmux::cpu
