#include "nvidia/launch/pack_check.h"

#include "nvidia/launch/driver_error.h"

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

  // The driver has no call for the number of parameters: it refuses the first index past the last.
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
