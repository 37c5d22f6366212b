#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/loader.h"

namespace kmux::cpu {
namespace {

Error cannot_load(const std::string& why) {
  return make_error(ErrorCode::kUnavailable,
                    "the compiled kernel cannot be loaded (" + why + "). Rebuild it on this machine.");
}

// A library whose file is in memory. The descriptor stays open as long as the library: the dynamic linker takes two
// libraries of the same path for one.
class SharedObject final : public LoadedCode {
 public:
  ~SharedObject() override {
    if (handle_) dlclose(handle_);
    if (descriptor_ >= 0) close(descriptor_);
  }

  Status open(const std::string& bytes, const std::string& entry) {
    descriptor_ = memfd_create("kmux-kernel", MFD_CLOEXEC);
    if (descriptor_ < 0 || !write_all(bytes)) return cannot_load("no memory for its file");
    const std::string path = "/proc/self/fd/" + std::to_string(descriptor_);
    handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle_) return cannot_load(dlerror());
    entry_ = dlsym(handle_, entry.c_str());
    return entry_ ? Status(Ok{}) : Status(cannot_load("it does not define \"" + entry + "\""));
  }

 private:
  bool write_all(const std::string& bytes) const {
    for (std::size_t done = 0; done < bytes.size();) {
      const ssize_t count = ::write(descriptor_, bytes.data() + done, bytes.size() - done);
      if (count <= 0) return false;
      done += static_cast<std::size_t>(count);
    }
    return true;
  }

  int descriptor_ = -1;
  void* handle_ = nullptr;
};

}  // namespace

Result<std::unique_ptr<LoadedCode>> load_shared_object(const std::string& bytes, const std::string& entry) {
  auto library = std::make_unique<SharedObject>();
  KMUX_TRY(library->open(bytes, entry));
  return std::unique_ptr<LoadedCode>(std::move(library));
}

}  // namespace kmux::cpu
