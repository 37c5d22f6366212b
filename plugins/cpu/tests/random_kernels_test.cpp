// Random kernels on this processor, compared with the same kernel in C, which runs one thread after another. Each is
// built vectorized, and in every third program also thread by thread. KMUX_RANDOM_KERNELS=N sets their number,
// KMUX_RANDOM_SEED the first seed. The vectorized ways rotate from program to program, blocks and thereby widths from
// kernel to kernel. Within 480 seeds all ways and widths meet, except short vectors. A seed alone determines kernel,
// input, block and ways. With KMUX_RANDOM_WAYS=1 each kernel is built in all ways.
#include <algorithm>
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "random_kernel.h"
#include "simt/frontend/installation.h"
#include "sizes.h"
#include "workbench.h"

namespace kmux::cpu {

using namespace simt;
namespace {

using Numbers = std::vector<unsigned>;

unsigned setting(const char* name, unsigned usual) {
  const char* const text = std::getenv(name);
  return text == nullptr ? usual : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
}

const Options kReference = {{"opt_level", "0"}};

// Returns true if this processor has x86-64-v3, whose vectors are half as long as those of AVX-512.
bool has_avx2() { return host_cpu().features.contains("avx2") && host_cpu().features.contains("fma"); }

// Thread by thread, checked: in every third program.
const Options kFibers = {{"check", "on"}, {"opt_level", "0"}};

const Options kFast = {{"tier", "fast"}};
const Options kFull = {{"tier", "full"}};
const Options kPlain = {{"tier", "fast"}, {"opt_level", "0"}};
const Options kShort = {{"tier", "fast"}, {"march", "x86-64-v3"}};

// Returns the ways in which the kernels of a seed, and all others of its program, are built. Vectorized builds end with
// the passes of tier fast, those of tier full, or none, which takes half of the time. One program of 60 uses short
// vectors, which differ in the vectorizer itself and take five times as long.
std::vector<const Options*> ways_of(unsigned seed) {
  static const bool has_all = setting("KMUX_RANDOM_WAYS", 0) != 0;
  if (has_all) return {&kFast, &kFull, &kPlain, has_avx2() ? &kShort : &kFast, &kFibers};
  const unsigned program = seed / RandomProgram::kTogether;
  std::vector<const Options*> ways = {program % 10 == 0 ? &kFast : program % 10 == 5 ? &kFull : &kPlain};
  if (program % 60 == 6 && has_avx2()) ways = {&kShort};
  if (program % 3 == 1) ways.push_back(&kFibers);
  return ways;
}

// Returns the output of each kernel of `program`, built with `options`.
std::vector<Numbers> results(const RandomProgram& kernels, const Program& program, const Options& options) {
  Workbench bench;
  auto kernel = bench.load(program, options);
  EXPECT_TRUE(kernel.ok()) << "seed " << kernels.first() << ": " << kernel.error().explain();
  EXPECT_THAT(bench.host.log, testing::Not(testing::HasSubstr("a stack of its own"))) << "seed " << kernels.first();
  std::vector<Numbers> x, y;
  for (unsigned i = 0; i < kernels.size(); ++i) x.push_back(kernels.input(i)), y.emplace_back(kernels.threads(i));
  if (!kernel.ok()) return y;
  std::vector<kmux_slot> slots = {slot(std::int64_t{1})};
  for (unsigned i = 0; i < kernels.size(); ++i) {
    slots.push_back(slot(x[i].data()));
    slots.push_back(slot(y[i].data()));
  }
  const Status status = (*kernel)(slots);
  EXPECT_TRUE(status.ok()) << "seed " << kernels.first() << ": " << status.error().explain();
  return y;
}

/// A test's way to build kernels, and its change to their CUDA source.
struct BuildWay {
  const Options& options;
  void (*change)(std::string& source) = [](std::string&) {};

  std::vector<Numbers> results_of(const RandomProgram& kernels) const {
    Program program = kernels.cuda();
    change(program.variants[0].sources[0].content);
    return results(kernels, program, options);
  }
};

std::vector<Numbers> wanted_of(const RandomProgram& kernels) { return results(kernels, kernels.c(), kReference); }

// Returns the statements of the kernel of `seed` that can be left out while it stays wrong.
std::set<unsigned> needless(unsigned seed, const BuildWay& way) {
  std::set<unsigned> left_out;
  const unsigned statements = RandomProgram(seed, 1).kernel(0).statements();
  for (unsigned count = statements; count > 0; count /= 2) {  // many at once, then fewer
    for (unsigned first = 0; first < statements; first += count) {
      std::set<unsigned> fewer = left_out;
      for (unsigned i = first; i < std::min(first + count, statements); ++i) fewer.insert(i);
      if (fewer == left_out) continue;
      const RandomProgram kernel(seed, 1, fewer);
      if (way.results_of(kernel) != wanted_of(kernel)) left_out = std::move(fewer);
    }
  }
  return left_out;
}

std::string described(const Options& options) {
  std::string text;
  for (const auto& [name, value] : options) text += (text.empty() ? "" : ", ") + name + "=" + value;
  return text;
}

void check(const RandomProgram& kernels, const std::vector<Numbers>& wanted, const BuildWay& way) {
  const std::vector<Numbers> got = way.results_of(kernels);
  for (unsigned i = 0; i < kernels.size() && !testing::Test::HasFailure(); ++i) {
    const unsigned seed = kernels.first() + i;
    EXPECT_EQ(got[i], wanted[i]) << "seed " << seed << " built with " << described(way.options)
                                 << " (KMUX_RANDOM_SEED=" << seed << " KMUX_RANDOM_KERNELS=1):\n"
                                 << RandomProgram(seed, 1, needless(seed, way)).kernel(0).cuda();
  }
}

void check(const RandomProgram& kernels) {
  const std::vector<Numbers> wanted = wanted_of(kernels);
  for (const Options* const way : ways_of(kernels.first())) check(kernels, wanted, {*way});
}

// A kernel with many statements, with an atomic xor changed into an add.
TEST(RandomKernelsTest, ShrinkToFailingStatements) {
  constexpr unsigned kLarge = 304;
  const BuildWay wrong = {kFibers, [](std::string& source) {
                            const std::string_view right = "atomicXor(p, v)";
                            source.replace(source.find(right), right.size(), "atomicAdd(p, v)");
                          }};
  const RandomProgram whole(kLarge, 1);
  ASSERT_THAT(whole.kernel(0).c(), testing::HasSubstr("XOR(&"));
  ASSERT_GT(whole.kernel(0).statements(), 40U);
  ASSERT_NE(wrong.results_of(whole), wanted_of(whole));

  const std::set<unsigned> left_out = needless(kLarge, wrong);
  const RandomProgram small(kLarge, 1, left_out);
  EXPECT_LE(whole.kernel(0).statements() - left_out.size(), 2U);
  EXPECT_LT(small.kernel(0).cuda().size(), whole.kernel(0).cuda().size() / 2);
  EXPECT_THAT(small.kernel(0).cuda(), testing::HasSubstr("XOR(&"));
  EXPECT_NE(wrong.results_of(small), wanted_of(small));
  EXPECT_EQ(BuildWay{kFibers}.results_of(small), wanted_of(small));
}

// Seeds of kernels that once gave wrong results.
TEST(RandomKernelsTest, FormerlyWrongSeedsGiveExpectedResults) {
  constexpr unsigned kRestOfWhatWrapsAroundWithinAWarp = 9447;
  constexpr unsigned kValueOfAllThatLeavesALoopWithSome = 20017;
  for (const unsigned seed : {kRestOfWhatWrapsAroundWithinAWarp, kValueOfAllThatLeavesALoopWithSome})
    check(RandomProgram(seed, 1));
}

// Seeds of kernels that once fell back to thread by thread.
TEST(RandomKernelsTest, FormerFallbackSeedsStayVectorized) {
  constexpr unsigned kEndlessLoopThatIsNeverReached = 54550;
  constexpr unsigned kBreakWithinALoopOfTwoEnds = 79888;
  for (const unsigned seed : {kEndlessLoopThatIsNeverReached, kBreakWithinALoopOfTwoEnds})
    check(RandomProgram(seed, 1));
}

TEST(RandomKernelsTest, GiveExpectedResults) {
  const unsigned first = setting("KMUX_RANDOM_SEED", 0);
  const unsigned end = first + setting("KMUX_RANDOM_KERNELS", of_size(96U, 1008U));
  for (unsigned seed = first; seed < end && !HasFailure();) {
    const RandomProgram kernels = RandomProgram::from(seed, end);
    check(kernels);
    seed += kernels.size();
  }
}

}  // namespace
}  // namespace kmux::cpu
