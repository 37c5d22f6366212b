#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

namespace kmux {

/// Returns a folder on a file system without a disk, for tests that write much; the usual one if it is missing.
inline std::filesystem::path memory_folder() {
  const std::filesystem::path in_memory = "/dev/shm";
  return std::filesystem::is_directory(in_memory) ? in_memory : std::filesystem::temp_directory_path();
}

/// A new folder. Owns its content and removes it on destruction.
class TempFolder {
 public:
  explicit TempFolder(const std::filesystem::path& parent = std::filesystem::temp_directory_path()) {
    std::string pattern = (parent / "kmux-test-XXXXXX").string();
    path_ = std::filesystem::canonical(mkdtemp(pattern.data()));
  }
  ~TempFolder() {
    constexpr int kTries = 100;  // detached threads, such as those that publish, may still add files
    std::error_code error;
    for (int i = 0; i < kTries; ++i) {
      std::filesystem::remove_all(path_, error);
      if (!error) return;
    }
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

  /// Writes a file and creates its parent folders. Returns its path.
  std::filesystem::path write(const std::filesystem::path& name, std::string_view content) const {
    const std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << content;
    return file;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace kmux
