#include <utility>

#include "kmux/plugin/memory_library.h"

#include "engine/loader.h"

namespace kmux::cpu {
namespace {

class SharedObject final : public LoadedCode {
 public:
  SharedObject(MemoryLibrary library, void* entry) : library_(std::move(library)) { entry_ = entry; }

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

}  // namespace kmux::cpu
