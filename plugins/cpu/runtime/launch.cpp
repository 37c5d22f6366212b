#include "runtime/launch.h"

#include <cstring>
#include <exception>
#include <new>

#include "runtime/arena.h"
#include "runtime/pool.h"
#include "runtime/processor.h"

namespace kmux::cpu {
namespace {

constexpr std::uint64_t kDividedUs = 20;
constexpr std::uint64_t kShareUs = 10;  // the least that is worth a thread
constexpr std::uint64_t kLeastPartUs = 8;
constexpr std::uint64_t kMostPartUs = 200;
constexpr std::uint64_t kPartsOfThread = 64;
constexpr std::uint64_t kProbeUs = 5;
constexpr std::uint64_t kMostDearer = 4;  // times, in one step

std::uint64_t clamp(std::uint64_t value, std::uint64_t least, std::uint64_t most) {
  return value < least ? least : value > most ? most : value;
}

// So many that the counter of parts never overflows.
constexpr std::uint64_t kMostBlocks = std::uint64_t{1} << 52;

std::uint64_t blocks_in(std::uint64_t ticks, BlockCost cost) {
  return clamp((ticks << kCostFraction) / (cost == 0 ? 1 : cost), 1, kMostBlocks);
}

}  // namespace

BlockCost learn(BlockCost before, std::uint64_t ticks, std::uint64_t blocks) {
  const BlockCost sample = clamp((ticks << kCostFraction) / (blocks == 0 ? 1 : blocks), 1, BlockCost{1} << 56);
  if (before == 0) return sample;
  if (sample <= before) return clamp((before + sample) / 2, 1, before);
  return before + (clamp(sample, 0, kMostDearer * before) - before) / 4;
}

Division divide(std::uint64_t blocks, BlockCost cost, std::uint64_t ticks_per_us, unsigned most_helpers) {
  const std::uint64_t in_share = blocks_in(kShareUs * ticks_per_us, cost);
  const std::uint64_t shares = blocks / in_share;
  if (cost == 0 || most_helpers == 0 || blocks < 2 || shares < kDividedUs / kShareUs) return {0, blocks};
  const std::uint64_t threads = clamp(shares, 2, most_helpers + 1U);
  const std::uint64_t grain = clamp(blocks / (threads * kPartsOfThread), blocks_in(kLeastPartUs * ticks_per_us, cost),
                                    blocks_in(kMostPartUs * ticks_per_us, cost));
  const std::uint64_t parts = (blocks + grain - 1) / grain;
  return {static_cast<unsigned>(clamp(threads, 1, parts) - 1), grain};
}

Columns::Columns(const unsigned (&grid)[3], std::uint64_t its_rows, std::uint64_t grain)
    : width(grid[0]), height(grid[1]), rows(its_rows), together(its_rows) {
  while (together > 1 && 2 * together > 3 * grain) together /= 2;
}

std::uint64_t Columns::part_begin(std::uint64_t block) const {
  if (rows == 0) return block;
  const std::uint64_t in_layer = block % (width * height);
  const std::uint64_t top = in_layer / (width * rows) * rows;
  const std::uint64_t here = height - top < rows ? height - top : rows;
  const std::uint64_t row = (in_layer - top * width) % here;
  if (row % together == 0) return block;
  const std::uint64_t next = row + together - row % together;
  return block + (next < here ? next : here) - row;
}

std::uint64_t probe_blocks(BlockCost cost, std::uint64_t ticks_per_us) {
  return cost == 0 ? 1 : blocks_in(kProbeUs * ticks_per_us, cost);
}

namespace {

constexpr std::uint64_t kMostThreads = 1024;           // of a block, as on every GPU
constexpr std::uint64_t kMostSharedBytes = 227 << 10;  // as on the largest
constexpr std::uint64_t kShortUs = 5;

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

// Of three extents; the largest number if it is larger than that.
std::uint64_t product(const unsigned (&extents)[3]) {
  std::uint64_t all = 0;
  const bool is_too_large = __builtin_mul_overflow(std::uint64_t{extents[0]} * extents[1], extents[2], &all);
  return is_too_large ? ~std::uint64_t{0} : all;
}

__attribute__((cold, noinline)) int refuse_block(const kmux_cpu_grid& launch, std::uint64_t threads) {
  tell(launch.error, "a block of ");
  tell_number(launch.error, threads);
  tell(launch.error, " threads (there are 1 to 1024). Use a smaller block.");
  return KMUX_INVALID_ARGUMENT;
}

__attribute__((cold, noinline)) int refuse_shared(const kmux_cpu_grid& launch, std::uint64_t bytes) {
  tell_number(launch.error, bytes);
  tell(launch.error, " bytes of shared memory (there are 232448). Use less.");
  return KMUX_INVALID_ARGUMENT;
}

__attribute__((cold, noinline)) int refuse_grid(const kmux_cpu_grid& launch) {
  tell(launch.error, "the grid has more blocks than can be counted (2^63). Use a smaller grid.");
  return KMUX_INVALID_ARGUMENT;
}

__attribute__((cold, noinline)) int refuse_memory(const kmux_cpu_grid& launch) {
  tell(launch.error, "the machine has no memory left for a block. Use smaller tensors or free some.");
  return KMUX_UNAVAILABLE;
}

// What tiles are there is of another launch, whose arguments may be others.
void forget_tiles(const kmux_cpu_kernel& kernel, const kmux_cpu_grid& grid, char* memory) {
  if (kernel.column_rows == 0) return;
  char* const frames = memory + kernel.shared_bytes + grid.dynamic_bytes;
  reinterpret_cast<kmux_cpu_tiles*>(frames)->goes_on = 0;
}

/// A launch whose blocks several threads take.
struct SharedLaunch {
  SharedLaunch(const kmux_cpu_grid& its_grid, const kmux_cpu_kernel& its_kernel, const void* its_arguments)
      : grid(its_grid), kernel(its_kernel), arguments(its_arguments) {}

  const kmux_cpu_grid& grid;
  const kmux_cpu_kernel& kernel;
  const void* arguments;
  char* memory = nullptr;  // of all blocks; else each thread has its own
  std::size_t memory_bytes = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t grain = 1;
  Columns columns{grid.grid, 0, 1};
  alignas(64) std::atomic<std::uint64_t> next{0};  // the first block that nobody has taken
  alignas(64) std::atomic<std::uint64_t> ticks{0};  // that all threads together took
  std::atomic<std::uint64_t> blocks{0};             // that they ran in these
  std::atomic<bool> has_failed{false};
  std::exception_ptr failure;
};

// Parts until none is left. The caller's own memory is there, and another thread without any leaves the work to those that have some.
void take_parts(SharedLaunch& launch) {
  const BlockMemory memory(launch.memory_bytes);
  if (launch.memory_bytes != 0 && memory.get() == nullptr) return;
  if (launch.memory == nullptr) forget_tiles(launch.kernel, launch.grid, memory.get());
  const std::uint64_t begin = ticks();
  std::uint64_t count = 0;
  for (;;) {
    const std::uint64_t first = launch.next.fetch_add(launch.grain, std::memory_order_relaxed);
    if (first >= launch.end) break;
    const std::uint64_t left = launch.end - first;
    const std::uint64_t end = left < launch.grain ? launch.end : launch.columns.part_begin(first + launch.grain);
    const std::uint64_t from = first == launch.begin ? first : launch.columns.part_begin(first);
    launch.kernel.blocks(launch.arguments, &launch.grid, from, end,
                         launch.memory != nullptr ? launch.memory : memory.get());
    count += end - from;
  }
  if (count == 0) return;
  launch.ticks.fetch_add(ticks() - begin, std::memory_order_relaxed);
  launch.blocks.fetch_add(count, std::memory_order_relaxed);
}

void take_parts_and_catch(void* context) {
  SharedLaunch& launch = *static_cast<SharedLaunch*>(context);
  try {
    take_parts(launch);
  } catch (...) {
    launch.next.store(launch.end, std::memory_order_relaxed);
    if (!launch.has_failed.exchange(true, std::memory_order_relaxed)) launch.failure = std::current_exception();
  }
}

std::uint64_t load_cost(const kmux_cpu_kernel& kernel) { return __atomic_load_n(&kernel.cost, __ATOMIC_RELAXED); }

void learn_cost(kmux_cpu_kernel& kernel, std::uint64_t ticks, std::uint64_t blocks) {
  const BlockCost before = load_cost(kernel);
  const BlockCost after = learn(before, ticks, blocks);
  if (after != before) __atomic_store_n(&kernel.cost, after, __ATOMIC_RELAXED);
}

/// What the calling thread has done of a launch by itself, and what a block costs.
struct Begun {
  std::uint64_t blocks = 0;
  BlockCost cost = 0;
};

/// Runs blocks on the calling thread while they may be too few for more threads: all, or as many as it takes to find that they
/// are not.
Begun run_alone(const SharedLaunch& launch, kmux_cpu_kernel& kernel, char* memory, unsigned helpers) {
  const std::uint64_t rate = ticks_per_us();
  Begun begun{0, load_cost(kernel)};
  if (divide(launch.end, begun.cost, rate, helpers).helpers > 0) return begun;
  std::uint64_t batch = probe_blocks(begun.cost, rate);
  const std::uint64_t begin = ticks();
  std::uint64_t spent = 0;
  while (begun.blocks < launch.end) {
    const std::uint64_t left = launch.end - begun.blocks;
    if (batch > left) batch = left;
    kernel.blocks(launch.arguments, &launch.grid, begun.blocks, begun.blocks + batch, memory);
    begun.blocks += batch;
    spent = ticks() - begin;
    begun.cost = learn(0, spent, begun.blocks);
    if (divide(launch.end - begun.blocks, begun.cost, rate, helpers).helpers > 0) break;
    const std::uint64_t more = probe_blocks(begun.cost, rate);
    batch = more < 2 * begun.blocks ? more : 2 * begun.blocks;
  }
  learn_cost(kernel, spent, begun.blocks);
  return begun;
}

/// The other blocks, with those threads that come. Returns false if nobody had memory for all of them.
bool run_together(SharedLaunch& launch, kmux_cpu_kernel& kernel, const Begun& begun, unsigned helpers) {
  const Division division = divide(launch.end - begun.blocks, begun.cost, ticks_per_us(), helpers);
  launch.begin = begun.blocks;
  launch.grain = division.grain;
  launch.columns = Columns(launch.grid.grid, kernel.column_rows, division.grain);
  launch.next.store(begun.blocks, std::memory_order_relaxed);
  pool().run(division.helpers, take_parts_and_catch, &launch);
  if (launch.failure) std::rethrow_exception(launch.failure);
  learn_cost(kernel, launch.ticks.load(std::memory_order_relaxed), launch.blocks.load(std::memory_order_relaxed));
  return launch.next.load(std::memory_order_relaxed) >= launch.end;
}

// Whether all blocks together take less time than it is worth to look at the clock for in between.
bool is_short(std::uint64_t blocks, BlockCost cost) {
  if (cost == 0 || blocks >> 31 != 0 || cost >> 31 != 0) return false;
  return blocks * cost <= (kShortUs * ticks_per_us()) << kCostFraction;
}

__attribute__((noinline)) int run_long(const kmux_cpu_grid& grid, kmux_cpu_kernel& kernel, const void* arguments,
                                       std::uint64_t blocks, std::size_t bytes, unsigned helpers) {
  SharedLaunch launch(grid, kernel, arguments);
  launch.memory_bytes = bytes;
  launch.end = blocks;
  Begun begun;
  {
    const BlockMemory memory(bytes);
    if (bytes != 0 && memory.get() == nullptr) return refuse_memory(grid);
    forget_tiles(kernel, grid, memory.get());
    begun = run_alone(launch, kernel, memory.get(), helpers);
  }
  if (begun.blocks == blocks || run_together(launch, kernel, begun, pool().helpers())) return KMUX_OK;
  return refuse_memory(grid);
}

// A short launch sets up nothing of what other threads would need.
__attribute__((noinline)) int run_many(const kmux_cpu_grid& grid, kmux_cpu_kernel& kernel, const void* arguments,
                                       std::uint64_t blocks, std::size_t bytes) {
  const unsigned helpers = pool().likely_helpers();  // a launch too small for a second thread does not ask the machine
  if (helpers != 0 && !is_short(blocks, load_cost(kernel))) {
    return run_long(grid, kernel, arguments, blocks, bytes, helpers);
  }
  const BlockMemory memory(bytes);
  if (bytes != 0 && memory.get() == nullptr) return refuse_memory(grid);
  forget_tiles(kernel, grid, memory.get());
  const std::uint64_t begin = helpers == 0 ? 0 : ticks();
  kernel.blocks(arguments, &grid, 0, blocks, memory.get());
  if (helpers != 0) learn_cost(kernel, ticks() - begin, blocks);
  return KMUX_OK;
}

constexpr std::uint64_t kMostResidentBytes = std::uint64_t{1} << 30;

__attribute__((cold, noinline)) int refuse_residents(const kmux_cpu_grid& launch, std::uint64_t blocks,
                                                     std::uint64_t bytes) {
  tell(launch.error, "the grid is too large for a cooperative launch (");
  tell_number(launch.error, blocks);
  tell(launch.error, " blocks with ");
  tell_number(launch.error, bytes);
  tell(launch.error, " bytes each; there are 1073741824 for all). Use fewer blocks, each of which does more.");
  return KMUX_INVALID_ARGUMENT;
}

/// Runs all blocks up to where they wait for the grid, or end: on the caller while that takes little time.
void run_pass(const kmux_cpu_grid& grid, kmux_cpu_kernel& kernel, const void* arguments, std::uint64_t blocks,
              char* memory) {
  const Begun begun{0, load_cost(kernel)};
  if (divide(blocks, begun.cost, ticks_per_us(), pool().likely_helpers()).helpers > 0) {
    SharedLaunch launch(grid, kernel, arguments);
    launch.memory = memory;
    launch.end = blocks;
    run_together(launch, kernel, begun, pool().helpers());
    return;
  }
  const std::uint64_t begin = ticks();
  kernel.blocks(arguments, &grid, 0, blocks, memory);
  learn_cost(kernel, ticks() - begin, blocks);
}

/// A launch whose blocks wait for each other: pass by pass, with the memory of all blocks kept.
__attribute__((noinline)) int run_cooperative(const kmux_cpu_grid& grid, kmux_cpu_kernel& kernel, const void* arguments,
                                              std::uint64_t blocks, std::uint64_t bytes) {
  if (blocks > kMostResidentBytes / (bytes == 0 ? 1 : bytes)) return refuse_residents(grid, blocks, bytes);
  const BlockMemory memory(kmux_cpu_pass_bytes + blocks * bytes);
  if (memory.get() == nullptr) return refuse_memory(grid);
  auto* const pass = new (memory.get()) kmux_cpu_pass{bytes, 0, 0};
  do {
    pass->waits = 0;
    run_pass(grid, kernel, arguments, blocks, memory.get());
    pass->goes_on = 1;
  } while (pass->waits != 0);
  return KMUX_OK;
}

}  // namespace
}  // namespace kmux::cpu

int kmux_cpu_run(const kmux_cpu_grid* launch, kmux_cpu_kernel* kernel, const void* arguments) {
  using namespace kmux::cpu;
  const std::uint64_t threads = product(launch->block);
  if (threads - 1 >= kMostThreads) return refuse_block(*launch, threads);
  const std::uint64_t shared = kernel->shared_bytes + launch->dynamic_bytes;
  if (shared > kMostSharedBytes) return refuse_shared(*launch, shared);
  const std::uint64_t blocks = product(launch->grid);
  if (blocks >> 63 != 0) return refuse_grid(*launch);
  const std::uint64_t warps = (threads + (1U << kernel->lane_bits) - 1) >> kernel->lane_bits;
  const std::size_t bytes = shared + warps * kernel->frame_bytes;
  if (kernel->is_cooperative != 0) return run_cooperative(*launch, *kernel, arguments, blocks, bytes);
  if (blocks > 1) return run_many(*launch, *kernel, arguments, blocks, bytes);
  const BlockMemory memory(bytes);
  if (bytes != 0 && memory.get() == nullptr) return refuse_memory(*launch);
  forget_tiles(*kernel, *launch, memory.get());
  kernel->blocks(arguments, launch, 0, blocks, memory.get());
  return KMUX_OK;
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
  throw kmux::cpu::KernelFailure(subject + " (" + place + "block " + three(block_x, block_y, block_z) + ", thread " +
                                 three(thread_x, thread_y, thread_z) + "). " + advice + "; results are incomplete.");
}

namespace kmux::cpu {
namespace {

// A library may be closed while the process goes on: no thread may be in its code then, and no ending thread may call it.
__attribute__((destructor)) void end_library() {
  pool().stop();
  close_arenas();
}

}  // namespace
}  // namespace kmux::cpu
