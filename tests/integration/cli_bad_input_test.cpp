// Bad input of every kind: a clear error on stderr, the documented exit code, nothing on stdout, nothing left behind.
// C3.12: a file that is missing or cannot be written has one exit code, wherever it is named.

#include <fstream>

#include "kmux/json.h"
#include "kmux/plugin/sha256.h"

#include "integration/cli_session.h"

namespace kmux::test {
namespace {

using Words = std::vector<std::string>;

constexpr int kUsage = 2;
constexpr int kBadInput = 3;
constexpr int kNotHere = 4;
constexpr int kCompileError = 5;

struct Case {
  const char* name;
  Words words;
  int exit_code;
  const char* message;  // a part of stderr
};

const char* const kScaleFile = "scale/scale.kmux.json";
const char* const kGemm = "gemm/gemm.kmux.json";

/// `kmux run` of the scale program with good arguments and then `more`, which may spoil them.
Words scale(const Words& more) {
  Words words{"run", kScaleFile, "--scalar", "factor=2"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// `kmux bench` of the scale program, quickly, with `more`.
Words bench(const Words& more) {
  Words words{"bench", kScaleFile, "--target", "c"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// clang-format off
const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      // The command line.
      {"NoCommand", {}, kUsage, "usage"},
      {"UnknownCommand", {"rnu"}, kUsage, "Did you mean"},
      {"UnknownOption", {"run", kScaleFile, "--no-such-option"}, kUsage, "no-such-option"},
      {"MissingValue", {"run", kScaleFile, "--in"}, kUsage, "--in"},
      {"NoProgram", {"run"}, kUsage, "no program"},
      {"TwoPrograms", {"run", kScaleFile, kGemm}, kUsage, "more words than kmux run takes"},
      {"DeviceIsNoNumber", {"run", kScaleFile, "--device", "first"}, kUsage, "first"},
      {"RepeatIsNoNumber", scale({"--in", "x=x8.npy", "--repeat", "often"}), kUsage, "often"},
      {"RtolIsNoNumber", scale({"--in", "x=x8.npy", "--rtol", "little"}), kUsage, "little"},
      {"AbbreviatedOption", {"run", kScaleFile, "--back", "cpu"}, kUsage, "back"},
      // The program.
      {"MissingFile", {"run", "nowhere.kmux.json"}, kBadInput, "nowhere.kmux.json"},
      {"MissingReport", {"bench", "--from", "nowhere.json"}, kBadInput, "nowhere.json"},
      {"MissingLockFile", {"compile", kScaleFile, "--policy", "pinned", "--lock-file", "nowhere.lock"}, kBadInput, "nowhere.lock"},
      {"Folder", {"resolve", "a_folder"}, kBadInput, "a_folder"},
      {"EmptyFile", {"resolve", "empty.npy"}, kBadInput, "empty.npy"},
      {"NotJson", {"resolve", "not.npy"}, kBadInput, "line 1"},
      {"UnclosedJson", {"resolve", "unclosed.json"}, kBadInput, "line"},
      {"DuplicateKey", {"resolve", "duplicate.json"}, kBadInput, "name"},
      {"JsonOfAnotherKind", {"resolve", "list.json"}, kBadInput, "array"},
      {"UnknownKey", {"resolve", "unknown_key.json"}, kBadInput, "signatur"},
      {"NewerVersion", {"resolve", "newer.json"}, kNotHere, "99"},
      {"WrongDigest", {"resolve", "wrong_digest.json"}, kBadInput, "scale/scale.c"},
      {"MissingSource", {"resolve", "missing_source.json"}, kBadInput, "gone.c"},
      {"EscapingPath", {"resolve", "escape.json"}, kBadInput, ".."},
      {"DeepNesting", {"resolve", "deep.json"}, kBadInput, "deep"},
      {"SourceThatDoesNotCompile", {"compile", "broken/broken.kmux.json"}, kCompileError, "broken.c:1:"},
      // The backend.
      {"UnknownBackend", {"run", kScaleFile, "--backend", "cpuu"}, kBadInput, "cpuu"},
      {"UnknownTarget", {"run", kScaleFile, "--target", "vulkan"}, kBadInput, "vulkan"},
      {"MalformedTarget", {"run", kScaleFile, "--target", "cpu:,,="}, kBadInput, "cpu:,,="},
      {"UnknownBackendOption", {"compile", kScaleFile, "--option", "speed=high"}, kBadInput, "speed"},
      {"OptionWithoutValue", {"compile", kScaleFile, "--option", "engine"}, kBadInput, "engine"},
      {"WrongEngine", {"compile", kScaleFile, "--option", "engine=steam"}, kBadInput, "steam"},
      {"ForbiddenFlag", {"compile", kScaleFile, "--flag=-o/tmp/x"}, kBadInput, "-o/tmp/x"},
      {"UnknownIsolation", {"compile", kScaleFile, "--isolation", "proces"}, kBadInput, "Did you mean 'process'?"},
      {"TimeOutWithoutProcess", {"compile", kScaleFile, "--compile-timeout", "5"}, kBadInput, "isolation 'process'"},
      {"NegativeTimeOut", {"compile", kScaleFile, "--isolation=process", "--compile-timeout=-1"}, kBadInput, "--compile-timeout is -1"},
      {"TimeOutThatNeverEnds", {"compile", kScaleFile, "--isolation=process", "--compile-timeout=nan"}, kBadInput, "--compile-timeout is nan"},
      {"TimeOutIsNoNumber", {"compile", kScaleFile, "--isolation=process", "--compile-timeout=soon"}, kUsage, "soon"},
      {"NoSuchDevice", scale({"--in", "x=x8.npy", "--device", "77"}), kBadInput, "77"},
      {"NegativeDevice", scale({"--in", "x=x8.npy", "--device=-1"}), kBadInput, "-1"},
      {"NegativeDeviceToResolve", {"resolve", kScaleFile, "--device=-1"}, kBadInput, "--device is -1"},
      {"NegativeDeviceToCompile", {"compile", kScaleFile, "--device=-1"}, kBadInput, "--device is -1"},
      {"NegativeDeviceToExport", {"export", kScaleFile, "-o", "a.so", "--device=-1"}, kBadInput, "--device is -1"},
      {"NegativeJobs", {"compile", kScaleFile, kGemm, "--jobs=-1"}, kBadInput, "--jobs is -1"},
      {"AbsurdJobs", {"compile", kScaleFile, kGemm, "--jobs=2147483647"}, kBadInput, "--jobs is 2147483647"},
      // The arguments.
      {"MissingInput", {"run", kGemm, "--in", "A=x2x4.npy"}, kBadInput, "--in B="},
      {"MissingTensorFile", scale({"--in", "x=nowhere.npy"}), kBadInput, "nowhere.npy"},
      {"InputIsAFolder", scale({"--in", "x=a_folder"}), kBadInput, "a_folder"},
      {"NotNpy", scale({"--in", "x=not.npy"}), kBadInput, "not.npy"},
      {"TruncatedNpy", scale({"--in", "x=short.npy"}), kBadInput, "short.npy"},
      {"EmptyNpy", scale({"--in", "x=empty.npy"}), kBadInput, "empty.npy"},
      {"WrongRank", scale({"--in", "x=x2x4.npy"}), kBadInput, "\"x\""},
      {"WrongDtype", scale({"--in", "x=doubles8.npy"}), kBadInput, "float64"},
      {"ShapesDisagree", {"run", kGemm, "--in", "A=x2x4.npy", "--in", "B=x2x4.npy"}, kBadInput, "\"B\""},
      {"UnknownInput", scale({"--in", "z=x8.npy"}), kBadInput, "\"z\""},
      {"OutputAsInput", scale({"--in", "y=x8.npy"}), kBadInput, "output"},
      {"InputTwice", scale({"--in", "x=x8.npy", "--in", "x=x8.npy"}), kBadInput, "twice"},
      {"InputWithoutName", scale({"--in", "x8.npy"}), kBadInput, "NAME=VALUE"},
      {"RandomWithoutSeed", scale({"--in", "x=random:", "--symbol", "n=8"}), kBadInput, "seed"},
      {"UnknownScalar", scale({"--in", "x=x8.npy", "--scalar", "faktor=1"}), kBadInput, "Did you mean"},
      {"ScalarIsNoNumber", {"run", kScaleFile, "--in", "x=x8.npy", "--scalar", "factor=much"}, kBadInput, "much"},
      {"ScalarTwice", scale({"--in", "x=x8.npy", "--scalar", "factor=3"}), kBadInput, "twice"},
      {"UnknownSymbol", scale({"--in", "x=random:1", "--symbol", "k=8"}), kBadInput, "\"k\""},
      {"SymbolIsNoInteger", scale({"--in", "x=random:1", "--symbol", "n=8.5"}), kBadInput, "8.5"},
      {"NegativeSymbol", scale({"--in", "x=random:1", "--symbol", "n=-8"}), kBadInput, "-8"},
      {"HugeSymbol", scale({"--in", "x=random:1", "--symbol", "n=1000000000000000000"}), kBadInput, "1000000000000000000"},
      {"MoreMemoryThanThereIs", scale({"--in", "x=random:1", "--symbol", "n=100000000000000"}), kNotHere, "out of memory"},
      {"SymbolBeyond64Bits", scale({"--in", "x=random:1", "--symbol", "n=99999999999999999999"}), kBadInput, "99999999999999999999"},
      {"ProductOverflows", {"run", kGemm, "--in", "*=zeros", "--symbol", "m=4000000000", "--symbol", "k=4000000000", "--symbol", "n=4000000000"}, kBadInput, "4000000000"},
      {"SymbolContradictsAFile", scale({"--in", "x=x8.npy", "--symbol", "n=16"}), kBadInput, "\"x\" has the extent 8 in dimension 0 (n is 16"},
      {"SymbolContradictsTheSecondDimension", {"run", kGemm, "--in", "A=x2x4.npy", "--in", "B=zeros", "--symbol", "k=3"}, kBadInput, "in dimension 1"},
      {"NegativeRepeat", scale({"--in", "x=x8.npy", "--out", "y=y.npy", "--repeat=-1"}), kBadInput, "--repeat is -1"},
      {"AbsurdRepeat", scale({"--in", "x=x8.npy", "--out", "y=y.npy", "--repeat=2147483647"}), kBadInput, "--repeat is 2147483647"},
      {"NegativeRtol", scale({"--in", "x=x8.npy", "--check", "y=x8.npy", "--out", "y=y.npy", "--rtol=-1"}), kBadInput, "--rtol is -1"},
      {"RtolIsNan", scale({"--in", "x=x8.npy", "--check", "y=x8.npy", "--out", "y=y.npy", "--rtol=nan"}), kBadInput, "--rtol is nan"},
      {"RtolIsInfinite", scale({"--in", "x=x8.npy", "--check", "y=x8.npy", "--out", "y=y.npy", "--rtol=inf"}), kBadInput, "--rtol is inf"},
      {"RtolIsTooLarge", scale({"--in", "x=x8.npy", "--check", "y=x8.npy", "--out", "y=y.npy", "--rtol=1e999"}), kUsage, "1e999"},
      {"RtolOfNoCheck", scale({"--in", "x=x8.npy", "--out", "y=y.npy", "--rtol=-1"}), kBadInput, "--rtol is -1"},
      {"NegativeAtol", scale({"--in", "x=x8.npy", "--check", "y=x8.npy", "--out", "y=y.npy", "--atol=-1"}), kBadInput, "--atol is -1"},
      // What comes out. Of several outputs none is written if one cannot be.
      {"SecondOutputIsUnknown", scale({"--in", "x=x8.npy", "--out", "y=y.npy", "--out", "z=z.npy"}), kBadInput, "\"z\""},
      {"SecondOutputIntoNowhere", scale({"--in", "x=x8.npy", "--out", "y=y.npy", "--out", "x=no/such/x.npy"}), kBadInput, "no/such"},
      {"OutputIsAFolder", scale({"--in", "x=x8.npy", "--out", "y=a_folder"}), kBadInput, "a_folder"},
      {"OutputWithoutAFile", scale({"--in", "x=x8.npy", "--out", "y="}), kBadInput, "--out cannot write"},
      {"OutputsIntoOneFile", scale({"--in", "x=x8.npy", "--out", "y=o.npy", "--out", "x=o.npy"}), kBadInput, "\"o.npy\" twice"},
      {"OutputOfAnUnknownCheck", scale({"--in", "x=x8.npy", "--out", "y=y.npy", "--check", "z=x8.npy"}), kBadInput, "\"z\""},
      {"OutputOfAMissingCheck", scale({"--in", "x=x8.npy", "--out", "y=y.npy", "--check", "y=nowhere.npy"}), kBadInput, "nowhere.npy"},
      {"OutputOfACheckOfAnotherShape", scale({"--in", "x=x8.npy", "--out", "y=y.npy", "--check", "y=x2x4.npy"}), kBadInput, "shape"},
      {"OutputOfWhatIsNotGiven", {"run", kGemm, "--in", "A=x2x4.npy", "--out", "B=b.npy"}, kBadInput, "which no --in gives"},
      {"TraceOfAnUnknownOutput", {"trace", kScaleFile, "--scalar", "factor=2", "--in", "x=x8.npy", "--out", "z=z.npy"}, kBadInput, "\"z\""},
      {"TraceOfANegativeRepeat", {"trace", kScaleFile, "--scalar", "factor=2", "--in", "x=x8.npy", "--repeat=-1"}, kBadInput, "--repeat is -1"},
      {"UnknownOutput", scale({"--in", "x=x8.npy", "--out", "z=z.npy"}), kBadInput, "\"z\""},
      {"OutputIntoNowhere", scale({"--in", "x=x8.npy", "--out", "y=no/such/folder/y.npy"}), kBadInput, "no/such/folder"},
      {"CheckOfAnotherShape", scale({"--in", "x=x8.npy", "--check", "y=x2x4.npy"}), kBadInput, "shape"},
      {"CheckFileMissing", scale({"--in", "x=x8.npy", "--check", "y=nowhere.npy"}), kBadInput, "nowhere.npy"},
      {"ExportWithoutAPath", {"export", kScaleFile, "--backend", "cpu"}, kUsage, "-o FILE"},
      {"ExportIntoNowhere", {"export", kScaleFile, "-o", "no/such/folder/a.so"}, kBadInput, "no/such/folder"},
      {"ExportOntoAFolder", {"export", kScaleFile, "-o", "a_folder"}, kBadInput, "a_folder"},
      {"HeaderIntoNowhere", {"export", kScaleFile, "-o", "a.so", "--header", "no/such/folder/a.h"}, kBadInput, "no/such/folder"},
      {"HeaderIsTheLibrary", {"export", kScaleFile, "-o", "a.so", "--header", "./a.so"}, kBadInput, "./a.so"},
      {"ExportOfAnUnknownBackend", {"export", kScaleFile, "--backend", "cpuu", "-o", "a.so"}, kBadInput, "cpuu"},
      // bench, tune and cache.
      {"NegativeTime", bench({"--time=-1"}), kBadInput, "--time is -1"},
      {"TimeIsNan", bench({"--time=nan"}), kBadInput, "--time is nan"},
      {"AbsurdTime", bench({"--time=1e300"}), kBadInput, "--time is 1e+300"},
      {"NoRepetitions", bench({"--repetitions=0"}), kBadInput, "--repetitions is 0"},
      {"NegativeRepetitions", bench({"--repetitions=-4"}), kBadInput, "--repetitions is -4"},
      {"BenchRtolIsNan", bench({"--rtol=nan"}), kBadInput, "--rtol is nan"},
      {"BenchAtolIsNegative", bench({"--atol=-1"}), kBadInput, "--atol is -1"},
      {"UnknownAxis", bench({kGemm, "--axis", "k=8,16"}), kBadInput, "program \"scale\": the program has no symbol or scalar \"k\""},
      {"NegativeAxis", bench({"--axis", "n=8,-8"}), kBadInput, "the negative extent -8"},
      {"BenchSeed", bench({"--in", "x=random:z"}), kBadInput, "no seed"},
      {"BenchSymbolContradictsAFile", bench({"--in", "x=x8.npy", "--symbol", "n=16"}), kBadInput, "has the extent 8"},
      {"NoBackends", bench({"--backends", ","}), kBadInput, "--backends names none"},
      {"MisspeltBackend", bench({"--backends", "cpuu"}), kBadInput, "Did you mean 'cpu'?"},
      {"FailIfSlowerByNan", bench({"--fail-if", "slower:nan%"}), kBadInput, "slower:nan%"},
      {"FailIfSlowerByInfinity", bench({"--fail-if", "slower:inf%"}), kBadInput, "slower:inf%"},
      {"ReportIntoNowhere", bench({"--csv", "r.csv", "--html", "no/such/r.html"}), kBadInput, "--html cannot write \"no/such/r.html\""},
      {"NegativeTuneSymbol", {"tune", kScaleFile, "--symbol", "n=-1"}, kBadInput, "negative extent -1"},
      {"LockIntoNowhere", {"tune", kScaleFile, "--lock", "no/such/lock"}, kBadInput, "--lock cannot write \"no/such/lock\""},
      {"PruneWithAWord", {"cache", "prune", "30"}, kUsage, "takes no word after it (\"30\")"},
      {"LimitOfAnotherAction", {"cache", "ls", "--max-days=3"}, kUsage, "kmux cache prune"},
      {"NegativeSize", {"cache", "prune", "--max-mib=-1"}, kBadInput, "--max-mib is -1"},
      {"NegativeAge", {"cache", "prune", "--max-days=-1"}, kBadInput, "--max-days is -1"},
      {"AgeIsNan", {"cache", "prune", "--max-days=nan"}, kUsage, "nan"},
      {"BundleWithoutAName", {"cache", "export"}, kUsage, "the bundle's name is missing"},
      {"BundleIntoNowhere", {"cache", "export", "no/such/b.tar.zst"}, kBadInput, "no/such/b.tar.zst"},
      {"ArtifactOntoAFolder", {"compile", kScaleFile, "--output", "a_folder"}, kBadInput, "--output cannot write \"a_folder\""},
      {"ArtifactIntoNowhere", {"compile", kScaleFile, "--output", "no/such/folder/a"}, kBadInput, "no/such/folder"},
  };
  return all;
}
// clang-format on

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

/// Programs that are wrong in one way each, made from a good one.
void write_bad_programs(const CliSession& session) {
  const std::string good = replaced(read(session.folder() / kScaleFile), "\"scale.c\"", "\"scale/scale.c\"");
  session.write("unclosed.json", good.substr(0, good.size() / 2));
  session.write("duplicate.json", replaced(good, "{", "{\"name\":\"other\","));
  session.write("list.json", "[" + good + "]");
  session.write("unknown_key.json", replaced(good, "\"signature\"", "\"signatur\""));
  session.write("newer.json", replaced(good, "\"version\":1", "\"version\":99"));
  session.write("wrong_digest.json",
                replaced(good, "\"sha256\":\"", "\"sha256\":\"0").replace(good.find("\"sha256\":\"") + 74, 1, ""));
  session.write("missing_source.json", replaced(good, "scale/scale.c", "gone.c"));
  session.write("escape.json", replaced(good, "scale/scale.c", "../scale.c"));
  session.write("deep.json", std::string(100000, '['));
  std::filesystem::create_directory(session.folder() / "broken");
  session.write("broken/broken.c", "void scale(float x) { return oops; }\n");
  std::string broken = replaced(read(session.folder() / kScaleFile), "\"scale.c\"", "\"broken.c\"");
  const auto digest = broken.find("\"sha256\":\"") + 10;
  session.write("broken/broken.kmux.json",
                broken.replace(digest, 64, sha256_hex("void scale(float x) { return oops; }\n")));
}

CliSession& session() {
  static CliSession* const shared = [] {
    auto* made = new CliSession;
    write_bad_programs(*made);
    return made;
  }();
  return *shared;
}

class CliBadInputTest : public testing::TestWithParam<Case> {
 protected:
  static void TearDownTestSuite() { std::filesystem::remove_all(session().folder()); }
};

TEST_P(CliBadInputTest, IsRejectedWithMessage) {
  const Case& one = GetParam();
  const auto before = session().files();
  const ProcessResult result = session().run(one.words);
  EXPECT_EQ(result.exit_code, one.exit_code) << result.standard_error;
  EXPECT_THAT(result.standard_error, HasSubstr(one.message));
  EXPECT_EQ(result.standard_output, "");
  EXPECT_EQ(session().files(), before);
}

INSTANTIATE_TEST_SUITE_P(Cli, CliBadInputTest, testing::ValuesIn(cases()),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(CliBadInputTest, JsonErrorsAreOneDocument) {
  const ProcessResult result = session().run({"run", kScaleFile, "--backend", "cpuu", "--json"});
  EXPECT_EQ(result.exit_code, kBadInput);
  const auto json = parse_json(result.standard_output);
  ASSERT_TRUE(json.ok()) << result.standard_output;
  EXPECT_EQ(*json->find("error")->find("code")->as_string(), "invalid_argument");
}

}  // namespace
}  // namespace kmux::test
