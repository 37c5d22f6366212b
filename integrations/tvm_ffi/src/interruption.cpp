#include "interruption.h"

#include <unistd.h>

#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>

#include "log_delivery.h"

namespace kmux::bridge {
namespace {

bool is_first_thread() { return ::gettid() == ::getpid(); }

}  // namespace

std::function<void()> interruption() {
  if (!is_first_thread()) return {};
  return [] {
    deliver_log();
    if (TVMFFIEnvCheckSignals() == 0) return;
    hold_log();
    throw ::tvm::ffi::EnvErrorAlreadySet();
  };
}

}  // namespace kmux::bridge
