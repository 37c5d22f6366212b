#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "kmux/export_library.h"
#include "kmux/plugin/dynamic_library.h"
#include "kmux/plugin/tvm_ffi_abi.h"

namespace kmux::nvidia {

/// An exported library, opened as users do.
struct Exported {
  explicit Exported(const std::string& path, const std::string& name)
      : library(DynamicLibrary::open({path}).value()),
        call(*library.function<int(void*, const TVMFFIAny*, std::int32_t, TVMFFIAny*)>("__tvm_ffi_" + name)),
        last_error(*library.function<const char*()>(name + "_last_error")),
        on_stream(*library.function<int(void*, const TVMFFIAny*, std::int32_t)>(name + "_on_stream")),
        prepare(*library.function<int(int)>(name + "_prepare")),
        close(*library.function<void()>(name + "_close")) {}

  std::string operator()(const std::vector<const DLTensor*>& tensors) const {
    std::vector<TVMFFIAny> args;
    for (const DLTensor* tensor : tensors) {
      args.push_back({kTVMFFIDLTensorPtr, 0, {}});
      args.back().v_ptr = const_cast<DLTensor*>(tensor);
    }
    return call(nullptr, args.data(), static_cast<std::int32_t>(args.size()), nullptr) == 0 ? "" : last_error();
  }

  DynamicLibrary library;
  int (*call)(void*, const TVMFFIAny*, std::int32_t, TVMFFIAny*);
  const char* (*last_error)();
  int (*on_stream)(void*, const TVMFFIAny*, std::int32_t);
  int (*prepare)(int);
  void (*close)();
};

/// Owns the files of one process, removed at its end.
struct ExportFolder {
  ExportFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "kmux-exported-XXXXXX").string();
    path = mkdtemp(pattern.data());
  }
  ~ExportFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  ExportFolder(const ExportFolder&) = delete;
  ExportFolder& operator=(const ExportFolder&) = delete;
  std::filesystem::path path;
};

}  // namespace kmux::nvidia
