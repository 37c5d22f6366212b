#pragma once

#include <atomic>
#include <new>
#include <stdlib.h>
#include <string.h>

#include "nvidia/launch/launcher.h"
#include "printed/cubin_file.h"
#include "printed/cubin_names.h"
#include "printed/kernel_pattern.h"

namespace kmux::cutedsl {

/// The code of one file with its launcher, which keeps the state of each device, made once under its lock.
///
/// A kernel is found by the symbol that it had when this launcher was built; in code from elsewhere, by the name of its
/// function as a pattern.
class CubinModule {
 public:
  /// `functions` has the function of each kernel of `facts`. `log` and all of them outlive the object.
  CubinModule(const nvidia::PlanFacts& facts, const char* const* functions, nvidia::Log log)
      : facts_(facts), functions_(functions), log_(log) {}
  CubinModule(const CubinModule&) = delete;
  CubinModule& operator=(const CubinModule&) = delete;
  ~CubinModule() {
    if (is_open_) launcher_.launcher.~Launcher();
    delete[] kernels_;
    free(path_);
  }

  /// Errors: unavailable if the file cannot be read; invalid_argument for a kernel that is not in it, or is there more than
  ///         once: then all that match are named.
  int open(const char* path, kmux_sink error) {
    path_ = strdup(path);
    kernels_ = new (std::nothrow) nvidia::KernelFacts[facts_.kernel_count + 1];
    if (path_ == nullptr || kernels_ == nullptr) {
      return nvidia::fail(error, KMUX_UNAVAILABLE, "out of memory for the cubin \"%s\". Free some.", path);
    }
    if (const int code = file_.read(path, error)) return code;
    for (unsigned i = 0; i < facts_.kernel_count; ++i) {
      kernels_[i] = facts_.kernels[i];
      if (const int code = find(i, error)) return code;
    }
    facts_.kernels = kernels_;
    new (&launcher_.launcher) nvidia::Launcher(file_.bytes(), facts_, log_);
    is_open_ = true;
    return KMUX_OK;
  }

  bool is_of(const char* path) const { return strcmp(path_, path) == 0; }
  nvidia::Launcher& launcher() { return launcher_.launcher; }

  CubinModule* next = nullptr;
  std::atomic<unsigned> users{0};

 private:
  union LaterLauncher {
    LaterLauncher() {}
    ~LaterLauncher() {}
    nvidia::Launcher launcher;
  };

  int find(unsigned index, kmux_sink error) {
    const CubinNames names(file_.bytes(), file_.size());
    bool has_symbol = false;
    size_t count = 0;
    names.for_each([&](const char* name) {
      has_symbol = has_symbol || strcmp(name, kernels_[index].name) == 0;
      ++count;
    });
    return has_symbol ? KMUX_OK : find_by_pattern(names, count, index, error);
  }

  int find_by_pattern(const CubinNames& names, size_t count, unsigned index, kmux_sink error) {
    const char** const list = new (std::nothrow) const char*[count + 1];
    if (list == nullptr) return nvidia::fail(error, KMUX_UNAVAILABLE, "out of memory for %zu names. Free some.", count);
    size_t filled = 0;
    names.for_each([&](const char* name) { list[filled++] = name; });
    const KernelMatch match = match_kernel(functions_[index], list, filled);
    if (match.count == 1) kernels_[index].name = list[match.index];
    const int code = match.count == 1 ? KMUX_OK : refuse(index, match.count, list, filled, error);
    delete[] list;
    return code;
  }

  int refuse(unsigned index, size_t count, const char* const* names, size_t name_count, kmux_sink error) {
    nvidia::fail(error, KMUX_INVALID_ARGUMENT, "%s kernel of the cubin \"%s\" is \"%s\" (there are",
                 count == 0 ? "no" : "more than one", path_, functions_[index]);
    for (size_t i = 0; i < name_count; ++i) {
      if (count > 0 && strstr(names[i], functions_[index]) == nullptr) continue;
      error.write(error.self, i == 0 ? " " : ", ", i == 0 ? 1 : 2);
      error.write(error.self, names[i], strlen(names[i]));
    }
    constexpr char kEnd[] = "). Use the cubin of this program.";
    error.write(error.self, kEnd, sizeof kEnd - 1);
    return KMUX_INVALID_ARGUMENT;
  }

  nvidia::PlanFacts facts_;
  const char* const* functions_;
  nvidia::Log log_;
  CubinFile file_;
  nvidia::KernelFacts* kernels_ = nullptr;
  char* path_ = nullptr;
  bool is_open_ = false;
  LaterLauncher launcher_;
};

}  // namespace kmux::cutedsl
