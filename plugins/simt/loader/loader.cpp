#include "simt/loader/loader.h"

#include <optional>
#include <utility>

#include "kmux/plugin/dynamic_library.h"

// The C++ ABI's function, which runs `function` when the thread ends.
extern "C" int __cxa_thread_atexit(  // NOLINT(bugprone-reserved-identifier)
    void (*function)(void*), void* argument, void* handle) noexcept;

namespace kmux::simt {

void ExitList::add(void (*function)(void*), void* argument) {
  const std::lock_guard lock(mutex_);
  entries_.push_back({function, argument});
}

void ExitList::run() {
  const auto take = [this]() -> std::optional<Entry> {
    const std::lock_guard lock(mutex_);
    if (entries_.empty()) return std::nullopt;
    const Entry last = entries_.back();
    entries_.pop_back();
    return last;
  };
  while (const std::optional<Entry> entry = take()) entry->function(entry->argument);
}

void ExitList::pin() {
  const std::lock_guard lock(mutex_);
  pinned_ = true;
}

bool ExitList::pinned() const {
  const std::lock_guard lock(mutex_);
  return pinned_;
}

int ExitList::at_exit(void (*function)(void*), void* argument, void* handle) {
  static_cast<ExitList*>(handle)->add(function, argument);
  return 0;
}

int ExitList::at_thread_exit(void (*function)(void*), void* argument, void* handle) {
  static_cast<ExitList*>(handle)->pin();
  static char of_this_library;  // keeps this library loaded, too; the C library does not know the code's own handle
  return __cxa_thread_atexit(function, argument, &of_this_library);
}

namespace {

class SharedObject final : public LoadedCode {
 public:
  SharedObject(MemoryLibrary library, void* entry) : library_(std::move(library)) { entry_ = entry; }
  void* find(const std::string& symbol) override { return library_.symbol(symbol); }

 private:
  MemoryLibrary library_;
};

}  // namespace

Result<std::unique_ptr<LoadedCode>> load_shared_object(const std::string& bytes, const std::string& entry) {
  KMUX_ASSIGN(MemoryLibrary library, MemoryLibrary::open(bytes, "kernel"));
  void* const address = library.symbol(entry);
  if (address != nullptr) return std::unique_ptr<LoadedCode>(new SharedObject(std::move(library), address));
  return make_error(ErrorCode::kUnavailable, "the compiled kernel cannot be loaded (it does not define \"" + entry +
                                                 "\"). Build it again on this machine.");
}

}  // namespace kmux::simt
