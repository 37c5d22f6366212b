// The checks of the format fuzzer, on damaged bytes that are the same in each run. ./kmux.sh fuzz searches for others.
#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "fuzz/corpus.h"
#include "fuzz/format_check.h"

namespace kmux {
namespace {

constexpr std::uint32_t kDamaged = 2'000;

/// Changes some bytes, cuts, repeats, and sets numbers to values that are invalid in headers.
std::string damaged(std::uint32_t seed, const std::vector<std::string>& seeds) {
  std::mt19937 random(seed);
  const auto below = [&](std::size_t count) { return random() % count; };
  std::string bytes = seeds[below(seeds.size())];
  for (std::size_t times = below(4) + 1; times > 0 && !bytes.empty(); --times) {
    const std::size_t at = below(bytes.size());
    switch (below(6)) {
      case 0:
        bytes[at] = static_cast<char>(random());
        break;
      case 1:
        bytes.erase(at, below(16) + 1);
        break;
      case 2:
        bytes.insert(at, bytes.substr(below(bytes.size()), below(40)));
        break;
      case 3:
        bytes.resize(at);
        break;
      case 4:
        for (std::size_t i = at; i < std::min(bytes.size(), at + 8); ++i) bytes[i] = static_cast<char>(0xff);
        break;
      default:
        bytes += seeds[below(seeds.size())];
    }
  }
  return bytes;
}

class FormatFuzzTest : public testing::TestWithParam<Format> {};

TEST_P(FormatFuzzTest, SeedsSatisfyInvariants) {
  const std::vector<std::string> seeds = GetParam().seeds();
  ASSERT_FALSE(seeds.empty());
  for (const std::string& bytes : seeds) EXPECT_EQ(GetParam().broken_promise(bytes), "");
}

TEST_P(FormatFuzzTest, CorpusSatisfiesInvariants) {
  const std::vector<std::string> kept = corpus_of(GetParam().name);
  ASSERT_FALSE(kept.empty());
  for (const std::string& bytes : kept) EXPECT_EQ(GetParam().broken_promise(bytes), "");
}

TEST_P(FormatFuzzTest, MutatedBytesSatisfyInvariants) {
  const std::vector<std::string> seeds = GetParam().seeds();
  for (std::uint32_t seed = 0; seed < kDamaged; ++seed) {
    ASSERT_EQ(GetParam().broken_promise(damaged(seed, seeds)), "") << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, FormatFuzzTest, testing::ValuesIn(formats().begin(), formats().end()),
                         [](const auto& format) { return std::string(format.param.name); });

}  // namespace
}  // namespace kmux
