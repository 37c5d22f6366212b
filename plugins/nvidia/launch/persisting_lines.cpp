#include "nvidia/launch/persisting_lines.h"

#include "nvidia/launch/driver_error.h"

namespace kmux::nvidia {
namespace {

PersistingLines own_lines;

// Returns true for success; keeps the first failure.
bool succeeds(PersistingLines::Failure* failure, const char* call, CUresult result) {
  if (result != CUDA_SUCCESS && failure->call == nullptr) *failure = {call, result};
  return result == CUDA_SUCCESS;
}

}  // namespace

PersistingLines& own_persisting_lines() { return own_lines; }

PersistingLines::Failure PersistingLines::raise(const DriverTable& driver, const DeviceContext& context, size_t bytes,
                                                bool* is_used) {
  const Locked locked(lock_);  // concurrent raises must not lower the limit
  CUcontext current = nullptr;
  size_t before = 0;
  const char* call = "cuCtxGetCurrent";
  CUresult result = driver.current_get(&current);
  if (result == CUDA_SUCCESS) {
    call = "cuCtxGetLimit";
    result = driver.limit_get(&before, CU_LIMIT_PERSISTING_L2_CACHE_SIZE);
  }
  if (result == CUDA_SUCCESS && before < bytes) {
    call = "cuCtxSetLimit";
    result = driver.limit_set(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, bytes);
  }
  *is_used = result == CUDA_SUCCESS && current == context.primary;  // another context is destroyed by its owner
  if (*is_used) {
    call = "cuCtxGetLimit";
    result = use(driver, raised_[context.ordinal], before, bytes);
  }
  return result == CUDA_SUCCESS ? Failure{} : Failure{call, result};
}

CUresult PersistingLines::use(const DriverTable& driver, Raised& raised, size_t before, size_t bytes) {
  ++raised.users;
  if (before >= bytes) return CUDA_SUCCESS;
  if (!raised.is_raised || before != raised.limit) raised.before = before;
  raised.is_raised = true;
  raised.limit = bytes;
  return driver.limit_get(&raised.limit, CU_LIMIT_PERSISTING_L2_CACHE_SIZE);  // the driver may round it
}

PersistingLines::Failure PersistingLines::give_back(const DriverTable& driver, const DeviceContext& context) {
  const Locked locked(lock_);
  Raised& raised = raised_[context.ordinal];
  if (--raised.users != 0 || !raised.is_raised) return {};
  raised.is_raised = false;
  Failure failure;
  CUcontext current = nullptr;
  if (!succeeds(&failure, "cuCtxGetCurrent", driver.current_get(&current))) return failure;
  const bool is_other = current != context.primary;
  if (is_other && !succeeds(&failure, "cuCtxSetCurrent", driver.current_set(context.primary))) return failure;
  RelaxedCapture relaxed(driver);
  if (succeeds(&failure, CaptureCalls::kExchange, static_cast<CUresult>(relaxed.begin())))
    set_back(driver, raised, &failure);
  succeeds(&failure, CaptureCalls::kExchange, static_cast<CUresult>(relaxed.end()));
  if (is_other) succeeds(&failure, "cuCtxSetCurrent", driver.current_set(current));
  return failure;
}

void PersistingLines::set_back(const DriverTable& driver, const Raised& raised, Failure* failure) {
  size_t now = 0;
  const bool is_read = succeeds(failure, "cuCtxGetLimit", driver.limit_get(&now, CU_LIMIT_PERSISTING_L2_CACHE_SIZE));
  if (!is_read || now != raised.limit) return;
  succeeds(failure, "cuCtxResetPersistingL2Cache", driver.reset_persisting());
  succeeds(failure, "cuCtxSetLimit", driver.limit_set(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, raised.before));
}

}  // namespace kmux::nvidia
