#pragma once

#include <atomic>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <new>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kmux/plugin/plugin.h"

#include "nvidia/launch/driver_error.h"
#include "nvidia/launch/launcher.h"
#include "printed/kernel_pattern.h"

namespace kmux::cutedsl {

/// The names of the kernels in a cubin. They point into its code, and are valid while that is.
///
/// Source: ELF-64 Object File Format 1.5; binutils' names for NVIDIA's ELF files.
class CubinNames {
 public:
  CubinNames(const unsigned char* code, size_t size) : code_(code), size_(size) {}

  /// Calls `visit(const char* name)` for each name; for none if the code is not a valid cubin.
  template <class Visit>
  void for_each(Visit visit) const {
    Elf64_Ehdr header;
    if (!read(0, &header) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_machine != kMachine) return;
    for (unsigned i = 0; i < header.e_shnum; ++i) {
      Elf64_Shdr table;
      Elf64_Shdr strings;
      if (!read(header.e_shoff + i * sizeof table, &table) || table.sh_type != SHT_SYMTAB) continue;
      if (read(header.e_shoff + table.sh_link * sizeof strings, &strings)) visit_symbols(table, strings, visit);
    }
  }

 private:
  static constexpr unsigned kMachine = 190;
  static constexpr unsigned char kEntry = 0x10;  // in st_other of a kernel

  template <class T>
  bool read(size_t offset, T* value) const {
    if (offset > size_ || size_ - offset < sizeof *value) return false;
    memcpy(value, code_ + offset, sizeof *value);
    return true;
  }

  template <class Visit>
  void visit_symbols(const Elf64_Shdr& table, const Elf64_Shdr& strings, Visit& visit) const {
    Elf64_Sym symbol;
    for (size_t at = 0; at + sizeof symbol <= table.sh_size && read(table.sh_offset + at, &symbol);
         at += sizeof symbol) {
      const bool is_kernel = ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && (symbol.st_other & kEntry) != 0;
      const size_t begin = strings.sh_offset + symbol.st_name;
      if (!is_kernel || symbol.st_shndx == SHN_UNDEF || begin >= size_) continue;
      if (memchr(code_ + begin, '\0', size_ - begin) != nullptr) visit(reinterpret_cast<const char*>(code_ + begin));
    }
  }

  const unsigned char* code_;
  size_t size_;
};

/// The content of a file of device code, which it owns.
///
/// Errors: returns unavailable that names the file, and whether it is missing, unreadable or empty.
class CubinFile {
 public:
  CubinFile() = default;
  CubinFile(const CubinFile&) = delete;
  CubinFile& operator=(const CubinFile&) = delete;
  ~CubinFile() { free(bytes_); }

  int read(const char* path, kmux_sink error) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 && errno == ENOENT) {
      return nvidia::fail(error, KMUX_UNAVAILABLE, "the cubin \"%s\" does not exist. Build it, or correct the path.",
                          path);
    }
    if (file < 0) return fail_read(path, errno, error);
    const int code = read_all(file, path, error);
    close(file);
    return code;
  }

  const unsigned char* bytes() const { return bytes_; }
  size_t size() const { return size_; }

 private:
  static int fail_read(const char* path, int number, kmux_sink error) {
    return nvidia::fail(error, KMUX_UNAVAILABLE, "the cubin \"%s\" cannot be read (%s). Correct it.", path,
                        strerror(number));
  }

  int read_all(int file, const char* path, kmux_sink error) {
    struct stat facts;
    if (fstat(file, &facts) != 0) return fail_read(path, errno, error);
    if (S_ISDIR(facts.st_mode)) return fail_read(path, EISDIR, error);
    const size_t size = static_cast<size_t>(facts.st_size);
    if (size == 0) {
      return nvidia::fail(error, KMUX_UNAVAILABLE, "the cubin \"%s\" is empty. Build it again.", path);
    }
    bytes_ = static_cast<unsigned char*>(malloc(size));
    if (bytes_ == nullptr) return fail_read(path, ENOMEM, error);
    while (size_ < size) {
      const ssize_t count = ::read(file, bytes_ + size_, size - size_);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return fail_read(path, count < 0 ? errno : EIO, error);
      size_ += static_cast<size_t>(count);
    }
    return KMUX_OK;
  }

  unsigned char* bytes_ = nullptr;
  size_t size_ = 0;
};

/// The code of one file with its launcher, which keeps the state of each device, created once under its lock.
///
/// A kernel is found by its symbol at the time this launcher was built; in code from elsewhere, by the name of its
/// function as a pattern.
class CubinModule {
 public:
  /// `functions` has the function of each kernel of `facts` that the plan names. `log` and all of them must outlive the object.
  CubinModule(const nvidia::PlanFacts& facts, const char* const* functions, nvidia::Log log)
      : facts_(nvidia::with_all_kernels(facts)), named_(facts.kernel_count), functions_(functions), log_(log) {}
  CubinModule(const CubinModule&) = delete;
  CubinModule& operator=(const CubinModule&) = delete;
  ~CubinModule() {
    if (is_open_) launcher_.launcher.~Launcher();
    delete[] kernels_;
    free(path_);
  }

  /// Errors: returns unavailable if the file cannot be read; invalid_argument for a kernel that is missing in it or
  ///         matches more than once: then all matches are named.
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
    if (has_symbol) return KMUX_OK;
    return index < named_ ? find_by_pattern(names, count, index, error) : refuse_other(index, error);
  }

  // Kernels of host functions have no other names: their object refers to them by these.
  int refuse_other(unsigned index, kmux_sink error) {
    return nvidia::fail(
        error, KMUX_INVALID_ARGUMENT,
        "no kernel of the cubin \"%s\" is \"%s\", which a host function launches. Use the cubin of this "
        "program.",
        path_, kernels_[index].name);
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
  const unsigned named_;  // kernels with a function; those of host functions follow
  const char* const* functions_;
  nvidia::Log log_;
  CubinFile file_;
  nvidia::KernelFacts* kernels_ = nullptr;
  char* path_ = nullptr;
  bool is_open_ = false;
  LaterLauncher launcher_;
};

}  // namespace kmux::cutedsl
