#include "kmux/runtime.h"

#include "background.h"
#include "kernel_memo.h"
#include "support_memo.h"

namespace kmux {

Runtime::Runtime(Environment environment, std::unique_ptr<Registry> registry)
    : environment_(std::move(environment)),
      registry_(std::move(registry)),
      support_memo_(std::make_shared<SupportMemo>()),
      kernel_memo_(std::make_shared<KernelMemo>()),
      background_(Background::make()) {
  registry_->on_unload([memo = std::weak_ptr(kernel_memo_)](std::string_view plugin) {
    if (const auto kernels = memo.lock()) kernels->forget(plugin);
  });
}

std::shared_ptr<Runtime> Runtime::with(Environment environment, std::unique_ptr<Registry> registry) {
  return std::shared_ptr<Runtime>(new Runtime(std::move(environment), std::move(registry)));
}

}  // namespace kmux
