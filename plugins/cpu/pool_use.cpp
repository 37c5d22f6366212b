#include "pool_use.h"

#include <atomic>

#include "kmux/plugin/option_readers.h"

#include "runtime/pool.h"

namespace kmux::cpu {
namespace {

constexpr NumberRange kThreads = {1, 512};

std::atomic<int> uses{0};

}  // namespace

Status take_threads_option(const Host& host) {
  const std::optional<std::string> text = host.option("cpu.threads");
  if (!text) return Ok{};
  KMUX_ASSIGN(const int threads, read_number({"cpu", "threads", *text}, kThreads));
  pool().limit(static_cast<unsigned>(threads));
  return Ok{};
}

PoolUse::PoolUse() { uses.fetch_add(1); }

PoolUse::~PoolUse() {
  if (uses.fetch_sub(1) == 1) pool().stop();
}

}  // namespace kmux::cpu
