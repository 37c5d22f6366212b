#include "launcher_library.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

namespace kmux::nvidia {
namespace {

Error cannot_load(const std::string& why) {
  return make_error(ErrorCode::kUnavailable,
                    "the compiled launcher cannot be loaded (" + why + "). Build it again on this machine.");
}

bool write_all(const Descriptor& file, const std::string& bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t count = ::write(file.get(), bytes.data() + done, bytes.size() - done);
    if (count <= 0) return false;
    done += static_cast<std::size_t>(count);
  }
  return true;
}

}  // namespace

Result<std::unique_ptr<LauncherLibrary>> LauncherLibrary::open(const std::string& bytes, Log log, Ranges ranges) {
  std::unique_ptr<LauncherLibrary> library(new LauncherLibrary);
  KMUX_TRY(library->load(bytes));
  KMUX_TRY(library->find("kmux_launcher_prepare", library->prepare_));
  KMUX_TRY(library->find("kmux_launcher_call", library->launch_));
  KMUX_TRY(library->find("kmux_launcher_open", library->open_));
  KMUX_TRY(library->find("kmux_launcher_close", library->close_));
  library->launcher_ = library->open_(log, ranges == Ranges::kShown);
  return library;
}

LauncherLibrary::~LauncherLibrary() {
  if (close_) close_();  // found last
  if (handle_) dlclose(handle_);
}

Status LauncherLibrary::load(const std::string& bytes) {
  file_ = Descriptor(memfd_create("kmux-launcher", MFD_CLOEXEC));
  if (!file_.is_open() || !write_all(file_, bytes)) return cannot_load("no memory for its file");
  const std::string path = "/proc/self/fd/" + std::to_string(file_.get());
  handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  return handle_ ? Status(Ok{}) : Status(cannot_load(dlerror()));
}

template <class Function>
Status LauncherLibrary::find(const char* name, Function*& function) const {
  function = reinterpret_cast<Function*>(dlsym(handle_, name));
  if (function) return Ok{};
  return make_error(ErrorCode::kInvalidArgument,
                    "the library does not export \"" + std::string(name) + "\" (it is no launcher). Build it again.");
}

}  // namespace kmux::nvidia
