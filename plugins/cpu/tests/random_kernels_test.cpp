// Random kernels on this processor, each built in one way, against the same kernel in C, which does for one thread after another
// what it means: KMUX_RANDOM_KERNELS=N of them, from seed KMUX_RANDOM_SEED on. The ways take turns from program to program, blocks
// and thereby widths from kernel to kernel, so that all of both but short vectors meet
// within 480 seeds. A seed alone says kernel, input, block and way.
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/installation.h"
#include "random_kernel.h"
#include "workbench.h"

namespace kmux::cpu {
namespace {

using Numbers = std::vector<unsigned>;

unsigned setting(const char* name, unsigned usual) {
  const char* const text = std::getenv(name);
  return text == nullptr ? usual : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
}

const Options kReference = {{"opt_level", "0"}};

// Has this processor the instructions of x86-64-v3, whose vectors are half as long as those of AVX-512?
bool has_avx2() { return host_cpu().features.contains("avx2") && host_cpu().features.contains("fma"); }

// How the kernels of a seed, and all others of its program, are built: after the pass for vectors, which is the same in all
// but the last ones, by the passes of tier fast, by those of tier full, and by none, which takes a third of the time; thread
// by thread, checked; or, in one program of 60, as it takes six times as long, in short vectors.
const Options& way_of(unsigned seed) {
  static const Options kFast = {{"tier", "fast"}};
  static const Options kFull = {{"tier", "full"}};
  static const Options kPlain = {{"tier", "fast"}, {"opt_level", "0"}};
  static const Options kShort = has_avx2() ? Options{{"tier", "fast"}, {"march", "x86-64-v3"}} : kFast;
  static const Options kFibers = {{"check", "on"}, {"opt_level", "0"}};
  static const std::array<const Options*, 10> ways = {&kFast,  &kPlain, &kFibers, &kPlain,  &kFull,
                                                      &kPlain, &kFast,  &kPlain,  &kFibers, &kPlain};
  const unsigned program = seed / RandomProgram::kTogether;
  return program % 60 == 6 ? kShort : *ways[program % ways.size()];
}

// What each kernel of `program`, built as `options` say, writes.
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

struct Compared {
  std::vector<Numbers> wanted;
  std::vector<Numbers> got;
};

Compared compare(const RandomProgram& kernels, const Options& way) {
  return {results(kernels, kernels.c(), kReference), results(kernels, kernels.cuda(), way)};
}

// The kernel of `seed`, without whatever does not matter to its being wrong.
std::string shrunk(unsigned seed) {
  std::set<unsigned> left_out;
  const unsigned statements = RandomProgram(seed, 1).kernel(0).statements();
  for (unsigned i = 0; i < statements; ++i) {
    left_out.insert(i);
    const Compared compared = compare(RandomProgram(seed, 1, left_out), way_of(seed));
    if (compared.got == compared.wanted) left_out.erase(i);
  }
  return RandomProgram(seed, 1, left_out).kernel(0).cuda();
}

std::string described(const Options& way) {
  std::string text;
  for (const auto& [name, value] : way) text += (text.empty() ? "" : ", ") + name + "=" + value;
  return text;
}

void check(const RandomProgram& kernels) {
  const Options& way = way_of(kernels.first());
  const Compared compared = compare(kernels, way);
  for (unsigned i = 0; i < kernels.size() && !testing::Test::HasFailure(); ++i) {
    const unsigned seed = kernels.first() + i;
    EXPECT_EQ(compared.got[i], compared.wanted[i]) << "seed " << seed << " built with " << described(way)
                                                   << " (KMUX_RANDOM_SEED=" << seed << " KMUX_RANDOM_KERNELS=1):\n"
                                                   << shrunk(seed);
  }
}

// The seeds of kernels that went thread by thread once.
TEST(RandomKernels, GoOnInVectors) {
  constexpr unsigned kEndlessLoopThatIsNeverReached = 54550;
  check(RandomProgram(kEndlessLoopThatIsNeverReached, 1));
}

TEST(RandomKernels, GiveWhatTheyMean) {
  const unsigned first = setting("KMUX_RANDOM_SEED", 0);
  const unsigned end = first + setting("KMUX_RANDOM_KERNELS", 3000);
  for (unsigned seed = first; seed < end && !HasFailure();) {
    const RandomProgram kernels = RandomProgram::from(seed, end);
    check(kernels);
    seed += kernels.size();
  }
}

}  // namespace
}  // namespace kmux::cpu
