#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/src/contestant.h"

namespace kmux::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;

Candidate candidate(const std::string& backend, bool can, const std::string& reason = "") {
  return {.backend = backend,
          .target = can ? "c" : "",
          .verdict = can ? kmux::Verdict::kPossible : kmux::Verdict::kRefused,
          .reason = reason};
}

Resolution resolution() {
  Resolution resolution;
  resolution.candidates = {candidate("a", false, "variant 0 is not for it"), candidate("a", true),
                           candidate("b", false, "no device")};
  resolution.names = {"a", "b"};
  return resolution;
}

auto names(const std::string& a, const std::string& b) {
  return ElementsAre(Field(&Entrant::backend, a), Field(&Entrant::backend, b));
}

TEST(EntrantsTest, AreBestCandidateOfEachBackend) {
  const auto entrants = entrants_of(resolution(), {}).value();
  EXPECT_THAT(entrants, names("a", "b"));
  EXPECT_EQ(entrants[0].state, EntrantState::kTimed);
  EXPECT_EQ(entrants[1].state, EntrantState::kUnavailable);
  EXPECT_EQ(entrants[1].problem, "no device");
}

TEST(EntrantsTest, AcceptOneBackendWithSeveralOptions) {
  EXPECT_THAT(entrants_of(resolution(), {"a:engine=host", "a"}).value(), names("a:engine=host", "a"));
  const BackendSpec spec = read_backend("a:engine=host;tier=fast").value();
  EXPECT_EQ(spec.name, "a");
  EXPECT_THAT(spec.options, ElementsAre(testing::Pair("engine", "host"), testing::Pair("tier", "fast")));
}

TEST(EntrantsTest, AcceptVariantsOfOneBackend) {
  Resolution variants = resolution();
  variants.candidates[1].variant = 1;
  const auto entrants = entrants_of(variants, {"a#0", "a#1:tier=fast"}).value();
  EXPECT_THAT(entrants, names("a#0", "a#1:tier=fast"));
  EXPECT_EQ(entrants[0].problem, "variant 0 is not for it");
  EXPECT_EQ(entrants[1].state, EntrantState::kTimed);
  EXPECT_EQ(entrants[1].variant, 1U);
  EXPECT_EQ(read_backend("a#1:tier=fast").value().name, "a");
  EXPECT_THAT(entrants_of(variants, {"a#2"}).error().message, HasSubstr("(the program has no such variant). Name"));
  EXPECT_THAT(entrants_of(variants, {"a#x"}).error().message, HasSubstr("\"a#x\" names no variant (behind #"));
  EXPECT_FALSE(read_backend("a:b=#1").value().variant);
}

TEST(EntrantsTest, RejectUnknownDuplicateAndMalformedNames) {
  EXPECT_THAT(entrants_of(resolution(), {"c"}).error().message,
              HasSubstr("\"c\" cannot be measured (there is no such"));
  EXPECT_THAT(entrants_of(resolution(), {"a", "a"}).error().message, HasSubstr("named twice"));
  EXPECT_THAT(entrants_of(resolution(), {"a:fast"}).error().message, HasSubstr("the option of backend a \"fast\""));
}

TEST(EntrantsTest, OnlyTimedEntrantsHaveRoles) {
  Contest contest{.program = "p", .entrants = entrants_of(resolution(), {}).value()};
  EXPECT_TRUE(takes_part(contest, "a"));
  EXPECT_FALSE(takes_part(contest, "b"));
  EXPECT_TRUE(check_role(contest, "baseline", "a"));
  EXPECT_EQ(check_role(contest, "baseline", "b").error().message,
            "the baseline \"b\" does not run program \"p\" here. Name one that does: a.");
}

}  // namespace
}  // namespace kmux::bench
