#include "nvidia/launch/loaded_code.h"

#include <new>

#include "nvidia/launch/driver_error.h"

namespace kmux::nvidia {

LoadedCode::~LoadedCode() { delete[] kernels_; }

int LoadedCode::load(const DriverTable& driver, kmux_sink error) {
  if (library_ != nullptr || facts_.kernel_count == 0) return KMUX_OK;
  if (kernels_ == nullptr) kernels_ = new (std::nothrow) CUkernel[facts_.kernel_count];
  if (kernels_ == nullptr)
    return fail(error, KMUX_UNAVAILABLE, "no memory for %u kernels. Free some.", facts_.kernel_count);
  const CUresult result = driver.library_load(&library_, code_, nullptr, nullptr, 0, nullptr, nullptr, 0);
  if (result != CUDA_SUCCESS) {
    library_ = nullptr;
    return fail_call(driver, error, "cuLibraryLoadData", result, "the code of \"%s\"", facts_.name);
  }
  const int code = find_kernels(driver, error);
  if (code != KMUX_OK) static_cast<void>(unload(driver));  // the first failure is what is told
  return code;
}

int LoadedCode::find_kernels(const DriverTable& driver, kmux_sink error) {
  for (unsigned i = 0; i < facts_.kernel_count; ++i) {
    const char* const name = facts_.kernels[i].name;
    const CUresult result = driver.library_kernel(&kernels_[i], library_, name);
    if (result != CUDA_SUCCESS)
      return fail_call(driver, error, "cuLibraryGetKernel", result, R"(kernel "%s" in the code of "%s")", name,
                       facts_.name);
  }
  return KMUX_OK;
}

CUresult LoadedCode::unload(const DriverTable& driver) {
  if (library_ == nullptr) return CUDA_SUCCESS;
  const CUlibrary library = library_;
  library_ = nullptr;
  return driver.library_unload(library);
}

}  // namespace kmux::nvidia
