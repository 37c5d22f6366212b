#pragma once

#include <filesystem>
#include <string>
#include <unistd.h>

namespace kmux::bench {

/// A folder below /tmp. Owns its content and removes it on destruction.
class Scratch {
 public:
  Scratch() : path_(std::filesystem::temp_directory_path() / ("kmux-bars-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~Scratch() { std::filesystem::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace kmux::bench
