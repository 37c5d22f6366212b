#include "progress.h"

#include <gmock/gmock.h>

namespace kmux::conformance {
namespace {

using std::chrono::seconds;

TEST(Progress, IsALineNowAndThen) {
  std::string text;
  Progress progress("random bodies", 500, [&](const std::string& line) { text += line; });
  const Progress::Clock::time_point begin;
  for (std::uint32_t done = 0; done < 26; ++done) progress.tell(done, begin + seconds(done));
  EXPECT_EQ(text, "random bodies: 10 of 500 done\nrandom bodies: 20 of 500 done\n");
}

TEST(Progress, OfAShortCaseIsNotTold) {
  std::string text;
  Progress progress("random bodies", 3, [&](const std::string& line) { text += line; });
  for (std::uint32_t done = 0; done < 3; ++done) progress.tell(done, Progress::Clock::time_point() + seconds(3 * done));
  EXPECT_EQ(text, "");
}

}  // namespace
}  // namespace kmux::conformance
