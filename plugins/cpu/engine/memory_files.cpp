#include "engine/memory_files.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

namespace kmux::cpu {
namespace {

namespace vfs = llvm::vfs;

// Where relative paths lead. No such folder need exist, and output that shows it does not depend on the machine.
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

}  // namespace kmux::cpu
