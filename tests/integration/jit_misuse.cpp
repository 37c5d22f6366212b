// What kmux::jit says of functions that it cannot wrap: compiled once a case, none of which is right but 0.
#include "kmux/jit.h"

struct Config {
  int first = 0;
  int second = 0;
};
#if KMUX_MISUSE == 3
BOOST_DESCRIBE_STRUCT(Config, (), (first))
#elif KMUX_MISUSE != 2
BOOST_DESCRIBE_STRUCT(Config, (), (first, second))
#endif

int main() {
#if KMUX_MISUSE == 0 || KMUX_MISUSE == 2 || KMUX_MISUSE == 3
  kmux::jit([](const Config&) { return kmux::Program{}; });
#elif KMUX_MISUSE == 1
  kmux::jit([](const Config&, int) { return kmux::Program{}; });
#elif KMUX_MISUSE == 4
  kmux::jit([](const auto&) { return kmux::Program{}; });
#elif KMUX_MISUSE == 5
  auto run =
      kmux::jit([](kmux::JitBuilder&, std::span<const kmux::Tensor>, const Config&) { return kmux::JitOutputs(); });
  static_cast<void>(run(Config{}, kmux::Tensor()));
#elif KMUX_MISUSE == 6
  kmux::jit([](const Config&) { return kmux::Outputs({}); });
#endif
}
