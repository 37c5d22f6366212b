#include "simt/runtime/launch.h"

#include <cstring>
#include <exception>
#include <new>

#include "simt/runtime/arena.h"
#include "simt/runtime/division.h"
#include "simt/runtime/interruption.h"
#include "simt/runtime/pool.h"
#include "simt/runtime/processor.h"
#include "simt/runtime/stack.h"

namespace kmux::simt {
namespace {

constexpr std::uint64_t kMaxThreads = 1024;           // of a block, as on every GPU
constexpr std::uint64_t kMaxSharedBytes = 227 << 10;  // as on the largest
constexpr std::uint64_t kShortUs = 5;
constexpr std::uint64_t kOnAnyStack = 8 << 10;  // frames up to this size skip the check of the stack's remaining bytes

void tell(const kmux_sink& error, const char* text) { error.write(error.self, text, std::strlen(text)); }

void tell_number(const kmux_sink& error, std::uint64_t number) {
  char digits[20];
  char* first = digits + sizeof digits;
  do {
    *--first = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number != 0);
  error.write(error.self, first, static_cast<std::size_t>(digits + sizeof digits - first));
}

// Returns the product of three extents; the largest number if it overflows.
std::uint64_t product(const unsigned (&extents)[3]) {
  std::uint64_t all = 0;
  const bool is_too_large = __builtin_mul_overflow(std::uint64_t{extents[0]} * extents[1], extents[2], &all);
  return is_too_large ? ~std::uint64_t{0} : all;
}

__attribute__((cold, noinline)) int refuse_block(const kmux_cpu_grid& grid, std::uint64_t threads) {
  tell(grid.error, "a block of ");
  tell_number(grid.error, threads);
  tell(grid.error, " threads (there are 1 to 1024). Use a smaller block.");
  return KMUX_INVALID_ARGUMENT;
}

__attribute__((cold, noinline)) int refuse_shared(const kmux_cpu_grid& grid, std::uint64_t bytes) {
  tell_number(grid.error, bytes);
  tell(grid.error, " bytes of shared memory (there are 232448). Use less.");
  return KMUX_INVALID_ARGUMENT;
}

__attribute__((cold, noinline)) int refuse_grid(const kmux_cpu_grid& grid) {
  tell(grid.error, "the grid has more blocks than can be counted (2^63). Use a smaller grid.");
  return KMUX_INVALID_ARGUMENT;
}

__attribute__((cold, noinline)) int refuse_memory(const kmux_cpu_grid& grid) {
  tell(grid.error, "the machine has no memory left for a block. Use smaller tensors or free some.");
  return KMUX_OUT_OF_MEMORY;
}

__attribute__((cold, noinline)) int report_interruption(const kmux_cpu_grid& grid) {
  tell(grid.error, kInterruptionMessage);
  return KMUX_CANCELLED;
}

/// The kernel of a launch with its arguments, geometry and memory sizes.
struct Launch {
  const kmux_cpu_grid& grid;
  kmux_cpu_kernel& kernel;
  const void* arguments;
  std::uint64_t blocks;  // of the grid
  std::size_t bytes;  // memory of a block
  std::size_t private_bytes;  // placed before the memory of a block

  void run(Blocks some, char* memory) const { kernel.blocks(arguments, &grid, some.begin, some.end, memory); }
};

/// The memory of the blocks of a launch that one thread runs.
class ThreadMemory {
 public:
  explicit ThreadMemory(const Launch& launch)
      : memory_(launch.private_bytes + launch.bytes),
        is_missing_(launch.private_bytes + launch.bytes != 0 && memory_.get() == nullptr),
        begin_(memory_.get() == nullptr ? nullptr : memory_.get() + launch.private_bytes) {
    if (launch.kernel.column_rows != 0 && !is_missing_) forget_tiles(launch);
  }
  char* get() const { return begin_; }
  bool is_missing() const { return is_missing_; }

 private:
  // Tiles already in the memory belong to another launch, whose arguments may differ.
  void forget_tiles(const Launch& launch) const {
    char* const frames = get() + launch.kernel.shared_bytes + launch.grid.dynamic_bytes;
    reinterpret_cast<kmux_cpu_tiles*>(frames)->goes_on = 0;
  }

  const BlockMemory memory_;
  const bool is_missing_;
  char* const begin_;
};

std::uint64_t load_cost(const kmux_cpu_kernel& kernel) { return __atomic_load_n(&kernel.cost, __ATOMIC_RELAXED); }

void learn_cost(kmux_cpu_kernel& kernel, std::uint64_t ticks, std::uint64_t blocks) {
  const BlockCost before = load_cost(kernel);
  const BlockCost after = learn(before, ticks, blocks);
  if (after != before) __atomic_store_n(&kernel.cost, after, __ATOMIC_RELAXED);
}

/// The blocks that the calling thread has already run alone, and the cost of a block.
struct Begun {
  std::uint64_t blocks = 0;
  BlockCost cost = 0;
};

/// A launch whose remaining blocks several threads take.
struct SharedLaunch {
  SharedLaunch(const Launch& its_launch, const Begun& begun, const Division& division, char* its_memory,
               Interruption& its_interruption)
      : launch(its_launch),
        memory(its_memory),
        interruption(its_interruption),
        shares({begun.blocks, launch.blocks}, division, {launch.grid.grid, launch.kernel.column_rows, division.grain}) {
  }

  const Launch& launch;
  char* const memory;  // of all blocks; null: each thread allocates its memory
  Interruption& interruption;  // the owner's
  const pthread_t owner = pthread_self();
  Shares shares;
  alignas(64) std::atomic<std::uint64_t> ticks{0};  // taken by all threads together
  std::atomic<std::uint64_t> blocks{0};  // run by the threads in these ticks
  std::atomic<bool> has_failed{false};
  std::exception_ptr failure;
};

// Takes parts until none is left.
void take_parts(SharedLaunch& shared, char* memory) {
  const std::uint64_t begin = ticks();
  std::uint64_t count = 0;
  unsigned share = shared.shares.enter();
  const bool is_owner = pthread_equal(pthread_self(), shared.owner) != 0;
  for (Blocks part; (part = shared.shares.take(share)).count() > 0; count += part.count()) {
    shared.launch.run(part, memory);
    if (is_owner && shared.interruption.is_requested()) shared.shares.give_up();
  }
  if (count == 0) return;
  shared.ticks.fetch_add(ticks() - begin, std::memory_order_relaxed);
  shared.blocks.fetch_add(count, std::memory_order_relaxed);
}

// A thread without memory leaves the work to those that have some.
void take_parts_and_catch(void* context) {
  SharedLaunch& shared = *static_cast<SharedLaunch*>(context);
  const OwnArithmetic arithmetic;
  try {
    if (shared.memory != nullptr) return take_parts(shared, shared.memory);
    const ThreadMemory memory(shared.launch);
    if (!memory.is_missing()) take_parts(shared, memory.get());
  } catch (...) {
    shared.shares.give_up();
    if (!shared.has_failed.exchange(true, std::memory_order_relaxed)) shared.failure = std::current_exception();
  }
}

bool has_stack_for(const kmux_cpu_kernel& kernel) {
  return kernel.stack_bytes <= kOnAnyStack || has_stack(kernel.stack_bytes);
}

// A thread of the pool, or a lent one, may have a small stack. Without memory for another stack it too leaves the work to other threads.
void take_parts_on_any_stack(void* context) {
  const kmux_cpu_kernel& kernel = static_cast<SharedLaunch*>(context)->launch.kernel;
  if (has_stack_for(kernel)) return take_parts_and_catch(context);
  run_on_stack(kernel.stack_bytes, take_parts_and_catch, context);
}

/// Runs blocks on the calling thread while they may be too few for more threads: all, or enough to measure that more
/// threads pay off. Stops at an interruption.
Begun run_alone(const Launch& launch, char* memory, unsigned helpers, Interruption& interruption) {
  const std::uint64_t rate = ticks_per_us();
  Begun begun{0, load_cost(launch.kernel)};
  if (divide(launch.blocks, begun.cost, rate, helpers).helpers > 0) return begun;
  std::uint64_t batch = probe_blocks(begun.cost, rate, helpers == 0);
  const std::uint64_t begin = ticks();
  std::uint64_t spent = 0;
  while (begun.blocks < launch.blocks) {
    const std::uint64_t left = launch.blocks - begun.blocks;
    if (batch > left) batch = left;
    launch.run({begun.blocks, begun.blocks + batch}, memory);
    begun.blocks += batch;
    spent = ticks() - begin;
    begun.cost = learn(0, spent, begun.blocks);
    if (interruption.is_requested()) break;
    if (divide(launch.blocks - begun.blocks, begun.cost, rate, helpers).helpers > 0) break;
    const std::uint64_t more = probe_blocks(begun.cost, rate, helpers == 0);
    batch = more < 2 * begun.blocks ? more : 2 * begun.blocks;
  }
  learn_cost(launch.kernel, spent, begun.blocks);
  return begun;
}

/// Runs the remaining blocks with the threads that join, in `memory` of all blocks or else in memory of each thread.
/// Returns false if blocks remain because no thread had memory.
bool run_together(const Launch& launch, const Begun& begun, unsigned helpers, Interruption& interruption,
                  char* memory = nullptr) {
  const Division division = divide(launch.blocks - begun.blocks, begun.cost, ticks_per_us(), helpers);
  SharedLaunch shared(launch, begun, division, memory, interruption);
  pool().run(division.helpers, take_parts_on_any_stack, &shared);
  if (shared.failure) std::rethrow_exception(shared.failure);
  learn_cost(launch.kernel, shared.ticks.load(std::memory_order_relaxed),
             shared.blocks.load(std::memory_order_relaxed));
  return shared.shares.are_taken();
}

// Returns true if all blocks together take so little time that reading the clock in between is not worth it.
bool is_short(std::uint64_t blocks, BlockCost cost) {
  if (cost == 0 || blocks >> 31 != 0 || cost >> 31 != 0) return false;
  return blocks * cost <= (kShortUs * ticks_per_us()) << kCostFraction;
}

__attribute__((noinline)) int run_long(const Launch& launch, unsigned helpers) {
  Interruption interruption;
  Begun begun;
  {
    const ThreadMemory memory(launch);
    if (memory.is_missing()) return refuse_memory(launch.grid);
    begun = run_alone(launch, memory.get(), helpers, interruption);
  }
  const bool is_over = begun.blocks == launch.blocks || interruption.is_requested();
  if (!is_over && !run_together(launch, begun, pool().helpers(), interruption)) return refuse_memory(launch.grid);
  return interruption.is_requested() ? report_interruption(launch.grid) : KMUX_OK;
}

// A short launch sets up no state for other threads.
__attribute__((noinline)) int run_many(const Launch& launch) {
  const unsigned helpers = pool().likely_helpers();  // a launch too small for two threads does not query the machine
  if (!is_short(launch.blocks, load_cost(launch.kernel))) return run_long(launch, helpers);
  const ThreadMemory memory(launch);
  if (memory.is_missing()) return refuse_memory(launch.grid);
  const std::uint64_t begin = ticks();
  launch.run({0, launch.blocks}, memory.get());
  learn_cost(launch.kernel, ticks() - begin, launch.blocks);
  return KMUX_OK;
}

constexpr std::uint64_t kMaxResidentBytes = std::uint64_t{1} << 30;

__attribute__((cold, noinline)) int refuse_residents(const kmux_cpu_grid& grid, std::uint64_t blocks,
                                                     std::uint64_t bytes) {
  tell(grid.error, "the grid is too large for a cooperative launch (");
  tell_number(grid.error, blocks);
  tell(grid.error, " blocks with ");
  tell_number(grid.error, bytes);
  tell(grid.error, " bytes each; there are 1073741824 for all). Use fewer blocks, each of which does more.");
  return KMUX_INVALID_ARGUMENT;
}

/// Runs all blocks until each waits for the grid or ends, or until an interruption: on the caller alone while that takes little time.
void run_pass(const Launch& launch, char* memory, Interruption& interruption) {
  const Begun begun{0, load_cost(launch.kernel)};
  if (divide(launch.blocks, begun.cost, ticks_per_us(), pool().likely_helpers()).helpers > 0) {
    run_together(launch, begun, pool().helpers(), interruption, memory);
  } else {
    run_alone(launch, memory, 0, interruption);
  }
}

/// Runs a launch whose blocks wait for each other pass by pass, and keeps the memory of all blocks between passes.
__attribute__((noinline)) int run_cooperative(const Launch& launch) {
  const std::uint64_t most = kMaxResidentBytes / (launch.bytes == 0 ? 1 : launch.bytes);
  if (launch.blocks > most) return refuse_residents(launch.grid, launch.blocks, launch.bytes);
  const BlockMemory memory(kmux_cpu_pass_bytes + launch.blocks * launch.bytes);
  if (memory.get() == nullptr) return refuse_memory(launch.grid);
  auto* const pass = new (memory.get()) kmux_cpu_pass{launch.bytes, 0, 0};
  Interruption interruption;
  do {
    pass->waits = 0;
    run_pass(launch, memory.get(), interruption);
    pass->goes_on = 1;
  } while (pass->waits != 0 && !interruption.is_requested());
  return interruption.is_requested() ? report_interruption(launch.grid) : KMUX_OK;
}

int run_here(const kmux_cpu_grid& grid, kmux_cpu_kernel& kernel, const void* arguments) {
  const std::uint64_t threads = product(grid.block);
  if (threads - 1 >= kMaxThreads) return refuse_block(grid, threads);
  const std::uint64_t shared = kernel.shared_bytes + grid.dynamic_bytes;
  if (shared > kMaxSharedBytes) return refuse_shared(grid, shared);
  const std::uint64_t blocks = product(grid.grid);
  if (blocks >> 63 != 0) return refuse_grid(grid);
  const std::uint64_t warps = (threads + (1U << kernel.lane_bits) - 1) >> kernel.lane_bits;
  const Launch launch{
      grid, kernel, arguments, blocks, shared + warps * kernel.frame_bytes, std::size_t{kernel.private_lines} * 64};
  const OwnArithmetic arithmetic;
  if (kernel.is_cooperative != 0) return run_cooperative(launch);
  if (blocks > 1) return run_many(launch);
  const ThreadMemory memory(launch);
  if (memory.is_missing()) return refuse_memory(grid);
  launch.run({0, blocks}, memory.get());
  return KMUX_OK;
}

/// A launch on another stack than its caller's. No exception crosses the stack switch.
struct MovedLaunch {
  const kmux_cpu_grid& grid;
  kmux_cpu_kernel& kernel;
  const void* arguments;
  int code = KMUX_OK;
  std::exception_ptr failure = nullptr;
};

void run_and_catch(void* context) {
  MovedLaunch& launch = *static_cast<MovedLaunch*>(context);
  try {
    launch.code = run_here(launch.grid, launch.kernel, launch.arguments);
  } catch (...) {
    launch.failure = std::current_exception();
  }
}

__attribute__((cold, noinline)) int run_moved(MovedLaunch launch) {
  if (!run_on_stack(launch.kernel.stack_bytes, run_and_catch, &launch)) return refuse_memory(launch.grid);
  if (launch.failure) std::rethrow_exception(launch.failure);
  return launch.code;
}

}  // namespace
}  // namespace kmux::simt

int kmux_cpu_run(const kmux_cpu_grid* grid, kmux_cpu_kernel* kernel, const void* arguments) {
  using namespace kmux::simt;
  if (!has_stack_for(*kernel)) return run_moved({*grid, *kernel, arguments});
  return run_here(*grid, *kernel, arguments);
}

namespace {

std::string three(unsigned x, unsigned y, unsigned z) {
  return "(" + std::to_string(x) + ", " + std::to_string(y) + ", " + std::to_string(z) + ")";
}

}  // namespace

void kmux_cpu_fail(const char* what, const char* file, unsigned line, unsigned block_x, unsigned block_y,
                   unsigned block_z, unsigned thread_x, unsigned thread_y, unsigned thread_z) {
  const std::string place = line == 0 ? "" : std::string(file) + ":" + std::to_string(line) + ", ";
  std::string subject = what;
  std::string advice = "Its source says what must hold";
  if (const std::size_t end = subject.find('\n'); end != std::string::npos) {
    advice = subject.substr(end + 1);
    subject.resize(end);
  } else {
    subject = line == 0 ? subject + " ended the kernel" : "assertion \"" + subject + "\" failed";
  }
  throw kmux::simt::KernelFailure(subject + " (" + place + "block " + three(block_x, block_y, block_z) + ", thread " +
                                  three(thread_x, thread_y, thread_z) + "). " + advice + "; results are incomplete.");
}

namespace kmux::simt {
namespace {

// A library may be closed while the process goes on: no thread may be in its code then, and no exiting thread may call it.
__attribute__((destructor)) void end_library() {
  pool().stop();
  close_arenas();
}

}  // namespace
}  // namespace kmux::simt
