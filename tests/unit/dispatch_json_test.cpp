#include "kmux/dispatch_json.h"

#include <gmock/gmock.h>

#include "kmux/json.h"
#include "kmux/plugin/sha256.h"

namespace kmux {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kSource = "int scale(float* a, int n) { return 0; }";

Program scale() {
  const Expr n = Expr::symbol("n");
  Program program{.name = "scale"};
  program.signature = {.params = {{"A", BufferParam{.dtype = dtype::kFloat32, .shape = {n}}}}, .symbols = {{"n"}}};
  Variant variant{.dialect = "c", .sources = {{"scale.c", std::string(kSource)}}};
  variant.body.steps = {Launch{.kernel = "scale", .args = {TensorArg{"A"}, ExprArg{n}}, .returns = CallResult::kInt32}};
  program.variants = {variant};
  return program;
}

std::string scale_json() {
  return R"({"format":"kmux-program","name":"scale","signature":{"params":[{"buffer":{"dtype":"float32",)"
         R"("shape":["n"]},"name":"A"}],"symbols":[{"name":"n"}]},"variants":[{"body":{"steps":[{"launch":{"args":)"
         R"([{"tensor":"A"},{"expr":"n"}],"kernel":"scale","returns":"int32"}}]},"dialect":"c","sources":[{"path":)"
         R"("scale.c","sha256":")" +
         sha256_hex(kSource) + R"("}]}],"version":1})";
}

Result<std::string> read_source(const std::string&) { return std::string(kSource); }

// Returns the problems of reading `json`: the first one is in the message, the others are notes.
std::vector<std::string> problems(std::string_view json) {
  const Result<Program> program = from_json(json, read_source);
  std::vector<std::string> lines;
  if (program) return lines;
  EXPECT_EQ(program.error().code, ErrorCode::kInvalidArgument);
  const std::string& message = program.error().message;
  lines.push_back(message.substr(message.find(" at /") + 4));
  for (const Note& note : program.error().notes) lines.push_back(note.text);
  return lines;
}

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), with);
}

TEST(DispatchJsonTest, WritesCanonicalTextWithoutDefaults) { EXPECT_EQ(to_json(scale()), scale_json()); }

TEST(DispatchJsonTest, RoundTripsStructures) {
  Program program = scale();
  auto& args = std::get<Launch>(program.variants[0].body.steps[0]).args;
  args[1] = StructArg{{TensorArg{"A"}, StructArg{{ExprArg{Expr::symbol("n"), dtype::kInt64}}}}, 16};
  const std::string json =
      replaced(scale_json(), R"({"expr":"n"})",
               R"({"align":16,"struct":[{"tensor":"A"},{"struct":[{"dtype":"int64","expr":"n"}]}]})");
  EXPECT_EQ(to_json(program), json);
  EXPECT_EQ(from_json(json, read_source).value(), program);
}

TEST(DispatchJsonTest, RejectsMalformedStructures) {
  const auto with = [](const std::string& argument) {
    return problems(replaced(scale_json(), R"({"expr":"n"})", argument));
  };
  const std::string at = "/variants/0/body/steps/0/launch/args/1";
  EXPECT_THAT(with(R"({"struct":{}})"), ElementsAre(HasSubstr(at + "/struct")));
  EXPECT_THAT(with(R"({"struct":[3]})"), ElementsAre(HasSubstr(at + "/struct/0")));
  EXPECT_THAT(with(R"({"struct":[{"expr":1}],"align":"16"})"), ElementsAre(HasSubstr(at + "/align")));
  EXPECT_THAT(with(R"({"struct":[{"expr":1}],"dtype":"int64"})"), ElementsAre(HasSubstr("unknown key \"dtype\"")));
  EXPECT_THAT(with(R"({"struct":[{"expr":1}],"scalar":"n"})"), ElementsAre(HasSubstr("unknown key")));
  std::string deep = R"({"expr":1})";
  for (int i = 0; i < 300; ++i) deep = R"({"struct":[)" + deep + "]}";
  EXPECT_THAT(from_json(replaced(scale_json(), R"({"expr":"n"})", deep), read_source).error().message,
              HasSubstr("nested deeper than 200 levels"));
}

TEST(DispatchJsonTest, RoundTripsPrograms) {
  EXPECT_EQ(from_json(scale_json(), read_source).value(), scale());
  EXPECT_EQ(from_json(to_pretty_json(scale()), read_source).value(), scale());
}

TEST(DispatchJsonTest, ReportsUnknownKeyWithPathAndSuggestion) {
  EXPECT_THAT(problems(replaced(scale_json(), R"({"tensor")", R"({"tensr")")),
              Contains(AllOf(HasSubstr("/variants/0/body/steps/0/launch/args/0: unknown key \"tensr\""),
                             HasSubstr("Did you mean 'tensor'?"))));
  EXPECT_THAT(problems(replaced(scale_json(), R"("sources")", R"("frobnicate":1,"sources")")),
              ElementsAre(AllOf(HasSubstr("/variants/0: unknown key \"frobnicate\""), HasSubstr("newer kmux"))));
}

TEST(DispatchJsonTest, ReportsEveryProblemAtOnce) {
  std::string json = replaced(scale_json(), R"("dtype":"float32")", R"("dtype":"float33")");
  json = replaced(json, R"("kernel":"scale")", R"("kernel":5)");
  json = replaced(json, R"("returns":"int32")", R"("returns":"int33")");
  json = replaced(json, R"("dialect":"c",)", "");
  EXPECT_THAT(problems(json),
              ElementsAre(HasSubstr("/signature/params/0/buffer/dtype: unknown dtype \"float33\""),
                          HasSubstr("/variants/0: missing key \"dialect\""),
                          HasSubstr("/variants/0/body/steps/0/launch/kernel: expected a string (found an integer)"),
                          HasSubstr("/variants/0/body/steps/0/launch/returns: unknown word \"int33\"")));
}

TEST(DispatchJsonTest, ReportsWrongKinds) {
  const auto with = [](std::string_view value) { return problems(replaced(scale_json(), R"({"expr":"n"})", value)); };
  EXPECT_THAT(with("7"), ElementsAre(HasSubstr("/args/1: expected an object (found an integer)")));
  EXPECT_THAT(with("{}"), ElementsAre(HasSubstr("/args/1: the kind is missing")));
  EXPECT_THAT(with(R"({"expr":"n","scalar":"s"})"), ElementsAre(HasSubstr("unknown key \"expr\"")));
  EXPECT_THAT(with(R"({"expr":true})"), ElementsAre(HasSubstr("/args/1/expr: expected an expression")));
  EXPECT_THAT(with(R"({"expr":1.5})"), ElementsAre(HasSubstr("(found a number)")));
  EXPECT_THAT(with(R"({"expr":9223372036854775808})"), ElementsAre(HasSubstr("expected an expression")));
  EXPECT_THAT(problems(replaced(scale_json(), R"([{"launch")", R"([{"if":{"condition":1,"then":[]},"launch")")),
              ElementsAre(HasSubstr("both \"launch\" and \"if\"")));
  EXPECT_THAT(problems(replaced(scale_json(), R"([{"launch")",
                                R"([{"fill":{"target":{"name":"A"},"bytes":1,"value":256}},{"launch")")),
              ElementsAre(HasSubstr("/variants/0/body/steps/0/fill/value: a byte is 0 to 255 (found 256)")));
}

TEST(DispatchJsonTest, SuggestsValidDtypes) {
  const auto buffer = [](const std::string& name) {
    return problems(replaced(scale_json(), R"("dtype":"float32")", R"("dtype":")" + name + "\""));
  };
  EXPECT_THAT(
      buffer("fp32"),
      ElementsAre("/signature/params/0/buffer/dtype: dtype \"fp32\" is another name of \"float32\" (programs have "
                  "that one). Write \"float32\"."));
  EXPECT_THAT(buffer("float33"),
              ElementsAre(HasSubstr("unknown dtype \"float33\". Did you mean 'float32'? Use an integer, "
                                    "a floating-point type, bool, complex64 or complex128.")));
  EXPECT_THAT(buffer("complex65"), ElementsAre(HasSubstr("Did you mean 'complex64'?")));
  const auto argument = [](const std::string& name) {
    return problems(replaced(scale_json(), R"({"expr":"n"})", R"({"expr":1,"dtype":")" + name + "\"}"));
  };
  EXPECT_THAT(argument("complex65"), ElementsAre(Not(HasSubstr("complex64"))));
  EXPECT_THAT(argument("fp16"),
              ElementsAre(HasSubstr("/args/1/dtype: dtype \"fp16\" cannot stand here (it is \"float16\"). "
                                    "Use int8 ... int64, uint8 ... uint64 or bool.")));
  EXPECT_THAT(argument("i32"), ElementsAre(HasSubstr("Write \"int32\".")));
  EXPECT_THAT(argument("float31"), ElementsAre(Not(HasSubstr("float32"))));
  EXPECT_THAT(argument("int65"), ElementsAre(HasSubstr("Did you mean 'int64'?")));
}

TEST(DispatchJsonTest, ReportsMalformedExpressions) {
  const auto text = [](std::string_view json) { return expr_from_json(json).error().message; };
  EXPECT_THAT(text("[]"), HasSubstr("an empty array"));
  EXPECT_THAT(text("[1,2]"), HasSubstr("/0: expected a string"));
  EXPECT_THAT(text(R"(["floordv",1,2])"), HasSubstr("Did you mean 'floordiv'?"));
  EXPECT_THAT(text(R"(["+",1,2,3])"), HasSubstr("\"+\" takes 2 operand(s)"));
  EXPECT_THAT(text(R"(["not",1,2])"), HasSubstr("\"not\" takes 1 operand(s)"));
  EXPECT_THAT(text(R"(["cast","int32"])"), HasSubstr("takes a dtype and 1 operand(s)"));
  EXPECT_THAT(text(R"(["+",1,["cast","int33",2]])"), HasSubstr("/2/1: unknown dtype"));
  EXPECT_THAT(text(R"({})"), HasSubstr("expected an expression"));
}

TEST(DispatchJsonTest, ChecksTheHeader) {
  const auto error = [](std::string_view json) { return from_json(json, read_source).error(); };
  EXPECT_THAT(error("[]").message, HasSubstr("not a kmux program (found array)"));
  EXPECT_THAT(error("{}").message, HasSubstr("no \"format\""));
  EXPECT_THAT(error(R"({"format":"kmux-program"})").message, HasSubstr("no \"version\""));
  EXPECT_THAT(error(R"({"format":"kmux-program","version":0})").message, HasSubstr("no \"version\""));
  const Error newer = error(R"({"format":"kmux-program","version":2,"what":"ever"})");
  EXPECT_EQ(newer.code, ErrorCode::kUnsupported);
  EXPECT_THAT(newer.message, HasSubstr("version 2 (this kmux reads up to 1)"));
}

TEST(DispatchJsonTest, RejectsMalformedAndHugeDocuments) {
  EXPECT_THAT(from_json("{\n \"a\": }", read_source).error().message, HasSubstr("line 2"));
  EXPECT_THAT(from_json(std::string(17 << 20, ' '), read_source).error().message, HasSubstr("the limit is 16777216"));
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += R"(["not",)";
  EXPECT_THAT(expr_from_json(deep).error().message, HasSubstr("nested deeper than 200"));
}

TEST(DispatchJsonTest, ChecksSourceFiles) {
  const auto missing = [](const std::string& path) -> Result<std::string> {
    return make_error(ErrorCode::kUnavailable, "cannot open \"" + path + "\".");
  };
  EXPECT_THAT(from_json(scale_json(), missing).error().message,
              HasSubstr("/variants/0/sources/0: cannot open \"scale.c\""));
  const auto changed = [](const std::string&) -> Result<std::string> { return std::string("other"); };
  EXPECT_THAT(from_json(scale_json(), changed).error().message, HasSubstr("was edited (its SHA-256 is \""));
  bool asked = false;
  const auto never = [&](const std::string&) -> Result<std::string> {
    asked = true;
    return std::string();
  };
  const std::string outside = replaced(scale_json(), "scale.c", "../scale.c");
  EXPECT_THAT(from_json(outside, never).error().message, HasSubstr("\"../scale.c\" is refused"));
  EXPECT_THAT(from_json(replaced(scale_json(), "scale.c", ""), never).error().message, HasSubstr("\"\" is refused"));
  EXPECT_FALSE(asked);
  const std::string no_digest = replaced(scale_json(), sha256_hex(kSource), "");
  EXPECT_THAT(from_json(no_digest, read_source).error().message, HasSubstr("the program expects \"\")"));
  const std::string number = replaced(scale_json(), "\"scale.c\"", "1");
  EXPECT_THAT(from_json(number, never).error().message, HasSubstr("/sources/0/path: expected a string"));
}

TEST(DispatchJsonTest, AcceptsFileWithoutDigest) {  // C3.5
  const std::string without = replaced(scale_json(), R"(,"sha256":")" + sha256_hex(kSource) + '"', "");
  ASSERT_EQ(without.find("sha256"), std::string::npos);
  const Program program = from_json(without, read_source).value();
  EXPECT_EQ(program.variants.front().sources.front().content, kSource);
  EXPECT_EQ(to_json(program), to_json(from_json(scale_json(), read_source).value()));  // with its digest
}

TEST(DispatchJsonTest, CountsProblemsBeyondTheFirstHundred) {
  std::string args = R"({"scalar":1})";
  for (int i = 0; i < 200; ++i) args += R"(,{"scalar":1})";
  const std::vector<std::string> lines = problems(replaced(scale_json(), R"({"expr":"n"})", args));
  ASSERT_EQ(lines.size(), 101U);
  EXPECT_EQ(lines.back(), "and 101 more");
}

TEST(DispatchJsonTest, ExcludesMetadataFromDigest) {
  Program program = scale();
  const std::string before = digest(program);
  program.metadata = {.description = "scales", .symbols = {{"n", 4}}, .scalars = {{"s", 1.5}}, .flops = 3};
  EXPECT_EQ(digest(program), before);
  EXPECT_EQ(from_json(to_json(program), read_source).value(), program);
  program.variants[0].sources[0].content += "\n";
  EXPECT_NE(digest(program), before);
}

TEST(DispatchJsonTest, RoundTripsSignatureAlone) {
  const Signature signature = scale().signature;
  EXPECT_EQ(signature_from_json(to_json(signature)).value(), signature);
  EXPECT_THAT(signature_from_json(R"({"params":[{"name":"A"}]})").error().message, HasSubstr("the kind is missing"));
}

TEST(DispatchJsonTest, ParsesOptionsAsText) {
  EXPECT_EQ(options_from_json(R"({"engine":"host","fast":true,"level":3,"ratio":0.5})").value(),
            (Options{{"engine", "host"}, {"fast", "true"}, {"level", "3"}, {"ratio", "0.5"}}));
  const Options options{{"engine", "clang"}};
  EXPECT_EQ(options_from_json(to_json(options)).value(), options);
  EXPECT_THAT(options_from_json("[]").error().message, HasSubstr("options are of kind array"));
  EXPECT_THAT(options_from_json(R"({"a":[]})").error().message, HasSubstr("option \"a\" is of kind array"));
}

}  // namespace
}  // namespace kmux
