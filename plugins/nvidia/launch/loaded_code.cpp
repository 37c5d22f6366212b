#include "nvidia/launch/loaded_code.h"

#include <new>

namespace kmux::nvidia {
namespace {

constexpr const char* kAdvice = "Make the arguments of the launch those of the kernel";

// One comparison of a pack with a kernel's parameters.
class PackCheck {
 public:
  PackCheck(const DriverTable& driver, CUkernel kernel, const char* name, const PackFacts& pack)
      : driver_(driver), kernel_(kernel), name_(name), pack_(pack) {}

  int run(kmux_sink error) const {
    for (unsigned i = 0; i < pack_.count; ++i) {
      size_t size = 0;
      const CUresult result = read(i, &size);
      if (result == CUDA_ERROR_INVALID_VALUE) return too_few(i, error);
      if (result != CUDA_SUCCESS) return fail_read(result, error);
      if (size != pack_.sizes[i]) return differs(i, size, error);
    }
    return check_end(error);
  }

 private:
  CUresult read(unsigned index, size_t* size) const {
    size_t offset = 0;
    return driver_.kernel_parameter(kernel_, index, &offset, size);
  }

  // Checks that the kernel has no further parameters. The driver has no call for their number, but rejects the first
  // index past the last.
  int check_end(kmux_sink error) const {
    unsigned count = pack_.count;
    for (size_t size = 0;; ++count) {
      const CUresult result = read(count, &size);
      if (result == CUDA_ERROR_INVALID_VALUE) break;
      if (result != CUDA_SUCCESS) return fail_read(result, error);
      if (count == pack_.count && pack_.spare && size == 1) continue;
      return fail(error, KMUX_INVALID_ARGUMENT,
                  "kernel \"%s\" has a parameter %u of %zu bytes (a launch passes %u arguments). %s.", name_, count,
                  size, pack_.count, kAdvice);
    }
    return KMUX_OK;
  }

  int too_few(unsigned count, kmux_sink error) const {
    return fail(error, KMUX_INVALID_ARGUMENT, "kernel \"%s\" has %u parameters (a launch passes %u arguments). %s.",
                name_, count, pack_.count, kAdvice);
  }

  int differs(unsigned index, size_t size, kmux_sink error) const {
    return fail(error, KMUX_INVALID_ARGUMENT, "parameter %u of kernel \"%s\" has %zu bytes (a launch passes %u). %s.",
                index, name_, size, pack_.sizes[index], kAdvice);
  }

  int fail_read(CUresult result, kmux_sink error) const {
    return fail_call(driver_, error, "cuKernelGetParamInfo", result, "kernel \"%s\"", name_);
  }

  const DriverTable& driver_;
  CUkernel kernel_;
  const char* name_;
  const PackFacts& pack_;
};

}  // namespace

LoadedCode::~LoadedCode() { delete[] kernels_; }

int LoadedCode::load(const DriverTable& driver, kmux_sink error) {
  if (library_ != nullptr || facts_.kernel_count == 0) return KMUX_OK;
  if (kernels_ == nullptr) kernels_ = new (std::nothrow) CUkernel[facts_.kernel_count];
  if (kernels_ == nullptr)
    return fail(error, KMUX_UNAVAILABLE, "out of memory for %u kernels. Free some.", facts_.kernel_count);
  const CUresult result = driver.library_load(&library_, code_, nullptr, nullptr, 0, nullptr, nullptr, 0);
  if (result != CUDA_SUCCESS) {
    library_ = nullptr;
    return fail_call(driver, error, "cuLibraryLoadData", result, "the code of \"%s\"", facts_.name);
  }
  const int code = find_kernels(driver, error);
  if (code != KMUX_OK) static_cast<void>(unload(driver));  // the first failure is reported
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

int LoadedCode::find_variable(const DriverTable& driver, const char* symbol, void** address, uint64_t* bytes,
                              kmux_sink error) const {
  CUdeviceptr place = 0;
  size_t size = 0;
  const CUresult result = driver.library_global(&place, &size, library_, symbol);
  if (result != CUDA_SUCCESS)
    return fail_call(driver, error, "cuLibraryGetGlobal", result, R"(variable "%s" in the code of "%s")", symbol,
                     facts_.name);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the driver's addresses are numbers
  *address = reinterpret_cast<void*>(place);
  *bytes = size;
  return KMUX_OK;
}

CUresult LoadedCode::unload(const DriverTable& driver) {
  if (library_ == nullptr) return CUDA_SUCCESS;
  const CUlibrary library = library_;
  library_ = nullptr;
  return driver.library_unload(library);
}

int check_packs(const DriverTable& driver, const LoadedCode& code, const PlanFacts& facts, const Log& log,
                kmux_sink error) {
  if (facts.pack_count == 0) return KMUX_OK;
  if (driver.kernel_parameter == nullptr) {
    report(log, kLogInfo,
           "\"%s\": arguments are not compared with parameters (that needs a driver of CUDA 12.4 or newer).",
           facts.name);
    return KMUX_OK;
  }
  for (unsigned i = 0; i < facts.pack_count; ++i) {
    const PackFacts& pack = facts.packs[i];
    const PackCheck check(driver, code.kernel(pack.kernel), facts.kernels[pack.kernel].name, pack);
    if (const int failure = check.run(error)) return failure;
  }
  return KMUX_OK;
}

}  // namespace kmux::nvidia
