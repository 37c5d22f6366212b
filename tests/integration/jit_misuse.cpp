// Compile errors of kmux::jit for functions that it cannot wrap: all of them with KMUX_MISUSE, none without it.
#include "kmux/jit.h"

struct Config {
  int first = 0;
  int second = 0;
};
BOOST_DESCRIBE_STRUCT(Config, (), (first, second))

#ifdef KMUX_MISUSE
struct Undescribed {
  int first = 0;
};

struct HalfDescribed {
  int first = 0;
  int second = 0;
};
BOOST_DESCRIBE_STRUCT(HalfDescribed, (), (first))

void misuse() {
  kmux::jit([](const Config&, int) { return kmux::Program{}; });
  kmux::jit([](const Undescribed&) { return kmux::Program{}; });
  kmux::jit([](const HalfDescribed&) { return kmux::Program{}; });
  kmux::jit([](const auto&) { return kmux::Program{}; });
  auto run =
      kmux::jit([](kmux::JitBuilder&, std::span<const kmux::Tensor>, const Config&) { return kmux::JitOutputs(); });
  static_cast<void>(run(Config{}, kmux::Tensor()));
  kmux::jit([](const Config&) { return kmux::Outputs({}); });
}
#endif

int main() {
  kmux::jit([](const Config&) { return kmux::Program{}; });
}
