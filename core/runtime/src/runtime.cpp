#include "kmux/runtime.h"

#include "support_memo.h"

namespace kmux {

Runtime::Runtime(Environment environment, std::unique_ptr<Registry> registry)
    : environment_(std::move(environment)),
      registry_(std::move(registry)),
      support_memo_(std::make_shared<SupportMemo>()) {}

std::shared_ptr<Runtime> Runtime::with(Environment environment, std::unique_ptr<Registry> registry) {
  return std::shared_ptr<Runtime>(new Runtime(std::move(environment), std::move(registry)));
}

}  // namespace kmux
