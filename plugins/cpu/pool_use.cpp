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

PoolUse::PoolUse(const Host& host) {
  uses.fetch_add(1);
  if (const Host::Threads threads = host.threads(); threads.run != nullptr) pool().lend(threads.run, threads.self);
}

PoolUse::~PoolUse() {
  if (uses.fetch_sub(1) != 1) return;
  pool().lend(nullptr, nullptr);
  pool().stop();
}

}  // namespace kmux::cpu
