#include "unit/random_program.h"

#include <random>

#include <gmock/gmock.h>

#include "kmux/dispatch_json.h"
#include "kmux/json.h"
#include "kmux/plugin/features.h"
#include "kmux/validate.h"

#include "plugin/program_view.h"
#include "sizes.h"

namespace kmux {
namespace {

using namespace std::string_view_literals;

constexpr std::uint32_t kPrograms = 300;

Result<Program> read_back(std::string_view json, const Program& program) { return from_json(json, files_of(program)); }

TEST(RandomProgramTest, IsAlwaysValid) {
  for (std::uint32_t seed = 0; seed < kPrograms; ++seed) {
    const Program program = random_program(seed);
    const Status status = check_valid(program);
    ASSERT_TRUE(status.ok()) << "seed " << seed << ": " << status.error().explain() << to_pretty_json(program);
  }
}

TEST(RandomProgramTest, DependsOnlyOnSeed) {
  EXPECT_EQ(random_program(7), random_program(7));
  EXPECT_NE(random_program(7), random_program(8));
}

TEST(RandomProgramTest, CoversAllDialectsAndFeatures) {
  std::set<std::string> dialects, features;
  for (std::uint32_t seed = 0; seed < kPrograms; ++seed) {
    const Program program = random_program(seed);
    for (std::size_t i = 0; i < program.variants.size(); ++i) {
      dialects.insert(program.variants[i].dialect);
      for (const UsedFeature& used : features_used(program, i)) features.insert(used.name);
    }
  }
  EXPECT_EQ(dialects.size(), all_dialects().size());
  EXPECT_EQ(features.size(), known_features().size());
}

TEST(RandomProgramTest, RoundTripsThroughJson) {
  for (std::uint32_t seed = 0; seed < kPrograms; ++seed) {
    const Program program = random_program(seed);
    const std::string json = to_json(program);
    const Result<Program> read = read_back(json, program);
    ASSERT_TRUE(read.ok()) << "seed " << seed << ": " << read.error().explain();
    ASSERT_EQ(*read, program) << "seed " << seed;
    ASSERT_EQ(to_json(*read), json);
    ASSERT_EQ(dump(parse_json(json).value()), json);
    ASSERT_EQ(read_back(to_pretty_json(program), program).value(), program);
    ASSERT_EQ(digest(*read), digest(program));
  }
}

TEST(RandomProgramTest, RoundTripsThroughAbi) {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    const Program program = random_program(seed);
    const ProgramView view(program);
    ASSERT_EQ(read_program(*view.get()).value(), program) << "seed " << seed;
  }
}

struct Written {
  Program program;
  std::string json;
};

// Returns a few programs as text, to damage repeatedly.
std::vector<Written> written_programs() {
  std::vector<Written> written;
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    Program program = random_program(seed);
    std::string json = to_json(program);
    written.push_back({std::move(program), std::move(json)});
  }
  return written;
}

// Damages `text` in a way that file corruption or manual edits do.
std::string damaged(std::string text, std::mt19937& random) {
  constexpr std::string_view kBytes = "{}[]\",:0-9.eE+ntf\\ \n\0\xff\x80"sv;
  const auto somewhere = [&] { return random() % (text.size() + 1); };
  for (unsigned i = random() % 4 + 1; i > 0; --i) {
    const std::size_t at = somewhere();
    switch (random() % 4) {
      case 0:
        if (at < text.size()) text[at] = kBytes[random() % kBytes.size()];
        break;
      case 1:
        text.insert(at, 1, kBytes[random() % kBytes.size()]);
        break;
      case 2:
        text.erase(at, random() % 20);
        break;
      default:
        text.insert(at, text.substr(somewhere(), random() % 50));
    }
  }
  return text;
}

// Validates and rewrites a program that could be read. Returns the number of such programs, 0 or 1.
int check_again(const Result<Program>& result, const Program& program) {
  if (!result) return 0;
  static_cast<void>(validate(*result));
  EXPECT_EQ(read_back(to_json(*result), program).value(), *result);
  return 1;
}

TEST(RandomProgramTest, DamagedTextNeverCrashesReader) {
  const std::vector<Written> written = written_programs();
  std::mt19937 random(1);
  int read = 0;
  for (std::uint32_t i = 0; i < 5'000; ++i) {
    const auto& [program, text] = written[i % written.size()];
    const Result<Program> result = read_back(damaged(text, random), program);
    ASSERT_TRUE(result.ok() || !result.error().message.empty());
    read += check_again(result, program);
  }
  EXPECT_GT(read, 100);
}

// Damages values rather than text, to reach more of the reader and of `validate`.
void damage(Json& value, std::mt19937& random) {
  Json::Array* array = value.as_array();
  Json::Object* object = value.as_object();
  if (array != nullptr && !array->empty() && random() % 8 != 0)
    return damage((*array)[random() % array->size()], random);
  if (object != nullptr && !object->empty() && random() % 8 != 0) {
    auto member = std::next(object->begin(), static_cast<std::ptrdiff_t>(random() % object->size()));
    if (random() % 16 == 0)
      object->erase(member);
    else
      damage(member->second, random);
    return;
  }
  const std::vector<Json> values{
      Json(), true,   0,       -1,     1.5,           std::int64_t{1} << 62, "n",
      "",     "none", "int32", "../x", Json::Array{}, Json::Object{},        Json::Array{"floordiv", 1, 0}};
  value = values[random() % values.size()];
}

TEST(RandomProgramTest, InvalidValuesNeverCrashReader) {
  const std::vector<Written> written = written_programs();
  std::mt19937 random(2);
  int read = 0;
  for (std::uint32_t i = 0; i < of_size(1'500U, 5'000U); ++i) {
    const auto& [program, text] = written[i % written.size()];
    Json json = parse_json(text).value();
    damage(json, random);
    const Result<Program> result = read_back(dump(json), program);
    read += check_again(result, program);
  }
  EXPECT_GT(read, 100);
}

}  // namespace
}  // namespace kmux
