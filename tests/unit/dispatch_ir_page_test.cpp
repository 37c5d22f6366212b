// docs/dispatch-ir.md is the specification: its example is a valid program, and its tables name the fields of the code.
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include <gmock/gmock.h>

#include "kmux/dispatch_json.h"
#include "kmux/json.h"
#include "kmux/plugin/features.h"
#include "kmux/validate.h"

#include "unit/random_program.h"

namespace kmux {
namespace {

using testing::HasSubstr;

std::string page() {
  std::ifstream file(KMUX_TEST_SOURCE_DIR "/docs/dispatch-ir.md");
  return {std::istreambuf_iterator<char>(file), {}};
}

// Returns the fenced block of the page that begins with "```" and `info`.
std::string block(const std::string& info) {
  const std::string text = page(), open = "```" + info + "\n";
  const std::size_t begin = text.find(open);
  if (begin == std::string::npos) return "no block " + info;
  const std::size_t content = begin + open.size();
  return text.substr(content, text.find("```\n", content) - content);
}

Result<Program> example() {
  const std::map<std::string, std::string> blocks{{"row_sum.c", "c row_sum.c"}, {"row_sum.cu", "cpp row_sum.cu"}};
  return from_json(block("json example"), [&](const std::string& path) -> Result<std::string> {
    const auto found = blocks.find(path);
    if (found == blocks.end()) return make_error(ErrorCode::kUnavailable, "the page does not show " + path);
    return block(found->second);
  });
}

TEST(DispatchIrPageTest, ShowsAValidProgramWithItsFiles) {
  const Result<Program> program = example();
  ASSERT_TRUE(program.ok()) << program.error().explain();
  const Status status = check_valid(*program);
  EXPECT_TRUE(status.ok()) << status.error().explain();
  EXPECT_EQ(program->name, "row_sum");
  EXPECT_EQ(program->variants.size(), 2U);
}

TEST(DispatchIrPageTest, ShowsCanonicalFormExceptWhitespace) {
  EXPECT_EQ(to_json(example().value()), dump(parse_json(block("json example")).value()));
}

TEST(DispatchIrPageTest, DocumentsEveryDialectFeatureAndOperator) {
  const std::string text = page();
  for (const Dialect& dialect : all_dialects()) {
    EXPECT_THAT(text, HasSubstr("| `" + std::string(dialect.name) + "` | " + std::string(dialect.content) + " |"));
  }
  for (const std::string_view feature : known_features()) {
    EXPECT_THAT(text, HasSubstr("| `" + std::string(feature) + "` |"));
  }
  for (int op = static_cast<int>(ExprOp::kAdd); op <= static_cast<int>(ExprOp::kCast); ++op) {
    const auto name = std::string(to_string(static_cast<ExprOp>(op)));
    EXPECT_THAT(text, HasSubstr("[\"" + (name == "|" ? "\\|" : name) + "\","));
  }
}

// Adds the keys of `json` and of its members, except those of metadata, which are names.
void add_keys(const Json& json, std::set<std::string>& keys) {
  if (const Json::Array* array = json.as_array()) {
    for (const Json& item : *array) add_keys(item, keys);
  }
  if (const Json::Object* object = json.as_object()) {
    for (const auto& [key, value] : *object) {
      keys.insert(key);
      if (key != "metadata") add_keys(value, keys);
    }
  }
}

TEST(DispatchIrPageTest, DocumentsEveryKey) {
  std::set<std::string> keys;
  for (std::uint32_t seed = 0; seed < 300; ++seed) add_keys(parse_json(to_json(random_program(seed))).value(), keys);
  EXPECT_GT(keys.size(), 60U);
  const std::string text = page();
  for (const std::string& key : keys) {
    const bool is_named =
        text.find("`" + key + "`") != std::string::npos || text.find("{\"" + key + "\":") != std::string::npos;
    EXPECT_TRUE(is_named || text.find("\"" + key + "\":") != std::string::npos) << key;
  }
}

}  // namespace
}  // namespace kmux
