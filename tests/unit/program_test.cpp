#include "kmux/program.h"

#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/dispatch_json.h"
#include "kmux/plugin/file_io.h"
#include "kmux/text.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

Program doubling_in_files() {
  Variant variant{.dialect = "c"};
  variant.sources = {{"src/twice.c", "#include \"twice.h\"\nvoid twice(float* a) { a[0] *= 2; }\n"}};
  variant.headers = {{"twice.h", "void twice(float* a);\n"}};
  variant.body.steps.push_back(Launch{.kernel = "twice", .args = {TensorArg{"a"}}});
  return {.name = "doubling",
          .signature = {.params = {{"a", BufferParam{dtype::kFloat32, {1}}}}},
          .variants = {std::move(variant)}};
}

/// A folder with a saved program; files beside the folder must not be read.
class ProgramFileTest : public testing::Test {
 protected:
  ProgramFileTest() : root_(fs::path(testing::TempDir()) / ("kmux_program_" + std::to_string(::getpid()))) {
    fs::remove_all(root_);
    fs::create_directories(root_ / "inside");
    write_file(root_ / "outside.c", doubling_in_files().variants[0].sources[0].content).value();
    save_program(doubling_in_files(), path_).value();
  }
  ~ProgramFileTest() override { fs::remove_all(root_); }

  Error load_error() {
    const Result<Program> program = load_program(path_);
    EXPECT_FALSE(program.ok());
    return program ? Error{} : program.error();
  }
  /// Replaces `from` by `to` in the document.
  void edit(const std::string& from, const std::string& to) {
    std::string json = read_file(path_).value();
    const std::size_t at = json.find(from);
    ASSERT_NE(at, std::string::npos) << json;
    write_file(path_, json.replace(at, from.size(), to)).value();
  }

  fs::path root_;
  fs::path path_ = root_ / "inside" / "doubling.kmux.json";
  fs::path source_ = root_ / "inside" / "src" / "twice.c";
};

TEST_F(ProgramFileTest, LoadsAsSaved) { EXPECT_EQ(load_program(path_).value(), doubling_in_files()); }

TEST_F(ProgramFileTest, LoadsFromCurrentFolder) {
  const fs::path before = fs::current_path();
  fs::current_path(path_.parent_path());
  const Result<Program> program = load_program("doubling.kmux.json");
  fs::current_path(before);
  EXPECT_EQ(program.value(), doubling_in_files());
}

TEST_F(ProgramFileTest, AcceptsLinkToItsFolder) {
  fs::create_directory_symlink(root_ / "inside", root_ / "link");
  EXPECT_TRUE(load_program(root_ / "link" / "doubling.kmux.json").ok());
}

TEST_F(ProgramFileTest, AcceptsLinkWithinItsFolder) {
  fs::rename(source_, root_ / "inside" / "real.c");
  fs::create_symlink("../real.c", source_);
  EXPECT_TRUE(load_program(path_).ok());
}

TEST_F(ProgramFileTest, RejectsMissingFile) {
  const Error error = load_program(root_ / "none.kmux.json").error();
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument) << "C3.12";
  EXPECT_THAT(error.message, AllOf(HasSubstr("none.kmux.json'"), HasSubstr("No such file or directory")));
  EXPECT_THAT(load_program(root_).error().message, HasSubstr("Is a directory"));
}

TEST_F(ProgramFileTest, ReportsMissingSourceFile) {
  fs::remove(source_);
  EXPECT_THAT(load_error().message, AllOf(HasSubstr("doubling.kmux.json"), HasSubstr("twice.c")));
}

TEST_F(ProgramFileTest, RejectsChangedFiles) {
  write_file(source_, "void twice(float* a) { a[0] *= 3; }\n").value();
  const Error error = load_error();
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.message, AllOf(HasSubstr("twice.c"), HasSubstr("SHA-256")));
}

TEST_F(ProgramFileTest, RejectsPathsOutsideItsFolder) {
  edit("\"src/twice.c\"", "\"../outside.c\"");
  EXPECT_EQ(load_error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(load_error().message, HasSubstr("outside.c"));
}

TEST_F(ProgramFileTest, RejectsAbsolutePaths) {
  edit("src/twice.c", (root_ / "outside.c").string());
  EXPECT_EQ(load_error().code, ErrorCode::kInvalidArgument);
}

TEST_F(ProgramFileTest, RejectsLinksOutsideItsFolder) {
  fs::remove(source_);
  fs::create_symlink(root_ / "outside.c", source_);
  EXPECT_THAT(load_error().message, HasSubstr("leaves the program's folder"));
}

TEST_F(ProgramFileTest, RejectsFolderLinksOutsideItsFolder) {
  fs::remove_all(source_.parent_path());
  fs::create_directory(root_ / "elsewhere");
  fs::rename(root_ / "outside.c", root_ / "elsewhere" / "twice.c");
  fs::create_directory_symlink(root_ / "elsewhere", source_.parent_path());
  EXPECT_THAT(load_error().message, HasSubstr("leaves the program's folder"));
  EXPECT_THAT(save_program(doubling_in_files(), path_).error().message, HasSubstr("leaves the program's folder"));
}

TEST_F(ProgramFileTest, ReportsLineOfMalformedJson) {
  write_file(path_, "{\"format\":").value();
  const Error error = load_error();
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.message, AllOf(HasSubstr("doubling.kmux.json"), HasSubstr("line 1")));
}

TEST_F(ProgramFileTest, IsValidatedOnLoad) {
  edit("\"tensor\": \"a\"", "\"tensor\": \"b\"");
  EXPECT_THAT(load_error().message, AllOf(HasSubstr("doubling.kmux.json"), HasSubstr("b")));
}

TEST_F(ProgramFileTest, IsNotSavedIfInvalid) {
  Program program = doubling_in_files();
  program.signature.params.clear();
  EXPECT_EQ(save_program(program, root_ / "inside" / "new.kmux.json").error().code, ErrorCode::kInvalidArgument);
  EXPECT_FALSE(fs::exists(root_ / "inside" / "new.kmux.json"));
}

TEST_F(ProgramFileTest, IsNotOverwrittenByItsSource) {
  Program program = doubling_in_files();
  program.variants[0].sources[0].path = "twice.c";
  EXPECT_THAT(save_program(program, root_ / "inside" / "twice.c").error().message,
              HasSubstr("would overwrite the program"));
}

TEST_F(ProgramFileTest, RejectsConflictingFileContents) {
  Program program = doubling_in_files();
  program.variants.push_back(program.variants[0]);
  EXPECT_TRUE(save_program(program, path_).ok());
  program.variants[1].headers[0].content += "// other\n";
  EXPECT_THAT(save_program(program, path_).error().message, HasSubstr("other content"));
}

/// Returns a program of one source and one header, with file names that other programs also use.
Program filling(const std::string& name, const std::string& value) {
  Variant variant{.dialect = "c"};
  variant.sources = {{"s.c", "#include \"h.h\"\nvoid fill(float* a) { a[0] = VALUE; }\n"}};
  variant.sources[0].content += "// " + value + "\n";
  variant.headers = {{"h.h", "#define VALUE " + value + "\n"}};
  variant.body.steps.push_back(Launch{.kernel = "fill", .args = {TensorArg{"a"}}});
  return {.name = name,
          .signature = {.params = {{"a", BufferParam{dtype::kFloat32, {1}}}}},
          .variants = {std::move(variant)}};
}

std::size_t count_files(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

/// Programs saved into one folder.
class NeighboursTest : public testing::Test {
 protected:
  NeighboursTest() : folder_(fs::path(testing::TempDir()) / ("kmux_neighbours_" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~NeighboursTest() override { fs::remove_all(folder_); }
  void save(const Program& program, const std::string& name) const {
    const Status saved = save_program(program, folder_ / name);
    ASSERT_TRUE(saved) << saved.error().message;
    EXPECT_EQ(load_program(folder_ / name).value(), program);
  }
  fs::path folder_;
};

TEST_F(NeighboursTest, DoNotOverwriteEachOther) {
  save(filling("one", "1"), "one.kmux.json");
  const std::string source = read_file(folder_ / "s.c").value();
  save(filling("two", "2"), "two.kmux.json");
  EXPECT_EQ(read_file(folder_ / "s.c").value(), source);
  EXPECT_EQ(load_program(folder_ / "one.kmux.json").value(), filling("one", "1"));
  EXPECT_EQ(count_files(folder_), 6U);
  EXPECT_EQ(digest(load_program(folder_ / "two.kmux.json").value()), digest(filling("two", "2")));
}

TEST_F(NeighboursTest, ShareIdenticalFiles) {
  save(filling("one", "1"), "one.kmux.json");
  save(filling("two", "1"), "two.kmux.json");
  EXPECT_EQ(count_files(folder_), 4U);
  save(filling("one", "3"), "one.kmux.json");  // a shared file is no longer this program's own
  EXPECT_EQ(load_program(folder_ / "two.kmux.json").value(), filling("two", "1"));
}

TEST_F(NeighboursTest, OverwriteTheirOwnFiles) {
  save(filling("one", "1"), "one.kmux.json");
  save(filling("one", "2"), "one.kmux.json");
  EXPECT_EQ(count_files(folder_), 3U);
  save(filling("two", "3"), "two.kmux.json");
  save(filling("two", "3"), "two.kmux.json");  // with the same file names
  save(filling("two", "4"), "two.kmux.json");
  EXPECT_EQ(load_program(folder_ / "one.kmux.json").value(), filling("one", "2"));
}

TEST_F(NeighboursTest, PreserveEditedFiles) {
  save(filling("one", "1"), "one.kmux.json");
  write_file(folder_ / "s.c", "edited\n").value();
  write_file(folder_ / "h.h", "edited\n").value();
  save(filling("one", "2"), "one.kmux.json");
  EXPECT_EQ(read_file(folder_ / "s.c").value(), "edited\n");
  EXPECT_EQ(read_file(folder_ / "h.h").value(), "edited\n");
}

TEST_F(NeighboursTest, RejectPathsOutsideTheirFolder) {
  save(filling("one", "1"), "one.kmux.json");
  save(filling("two", "2"), "two.kmux.json");
  std::string json = read_file(folder_ / "two.kmux.json").value();
  const std::size_t at = json.find("\"file\": \"");
  ASSERT_NE(at, std::string::npos) << json;
  write_file(folder_ / "two.kmux.json", json.insert(at + 9, "../")).value();
  EXPECT_THAT(load_program(folder_ / "two.kmux.json").error().message, HasSubstr("may leave the program's folder"));
}

TEST_F(NeighboursTest, PreserveFilesNamedByText) {
  save(filling("one", "1"), "one.kmux.json");
  write_file(folder_ / "text.kmux", to_text(filling("one", "1"))).value();
  save(filling("one", "2"), "one.kmux.json");
  EXPECT_EQ(load_program(folder_ / "text.kmux").value(), filling("one", "1"));
}

TEST_F(ProgramFileTest, ReportsWriteFailure) {
  const Error error = save_program(doubling_in_files(), root_ / "none" / "p.kmux.json").error();
  EXPECT_EQ(error.code, ErrorCode::kUnavailable);
  EXPECT_THAT(error.message, HasSubstr("none"));
}

/// A program as text beside its files.
class TextProgramFileTest : public ProgramFileTest {
 protected:
  TextProgramFileTest() {
    write_file(text_, to_text(doubling_in_files())).value();
    write_file(carrier_, kCarrier).value();
  }
  std::string told(const fs::path& path) {
    const Result<Program> program = load_program(path);
    EXPECT_FALSE(program.ok());
    return program ? "" : std::string(program.error().note("text").value_or(program.error().message));
  }

  static constexpr const char* kCarrier =
      "//! kmux\n//! kernel twice(a: f32[1])\n//!   launch twice(a)\nvoid twice(float* a) {}\n";
  fs::path text_ = root_ / "inside" / "doubling.kmux";
  fs::path carrier_ = root_ / "inside" / "twice.c";
};

TEST_F(TextProgramFileTest, LoadsSameProgramAsJson) {
  EXPECT_EQ(load_program(text_).value(), doubling_in_files());
  EXPECT_EQ(digest(load_program(text_).value()), digest(load_program(path_).value()));
}

TEST_F(TextProgramFileTest, LoadsFromSourceComment) {
  const Program program = load_program(carrier_).value();
  EXPECT_EQ(program.variants[0].sources, (std::vector<File>{{"twice.c", kCarrier}}));
  EXPECT_EQ(program.variants[0].dialect, "c");
  save_program(program, root_ / "inside" / "packed.kmux.json").value();
  EXPECT_EQ(load_program(root_ / "inside" / "packed.kmux.json").value(), program);
  Program edited = program;
  edited.variants[0].sources[0].content = "void twice(float* a) { a[0] *= 2; }\n";
  save_program(edited, root_ / "inside" / "packed.kmux.json").value();
  EXPECT_EQ(load_program(carrier_).value(), program) << "what carries a program is written over";
}

TEST_F(TextProgramFileTest, ReportsErrorLocation) {
  write_file(text_, "kernel k(a: f32[1])\n  sources \"src/twice.c\"\n  lauch twice(a)\n").value();
  EXPECT_THAT(told(text_), HasSubstr("doubling.kmux:3:3: error: expected a step"));
  fs::remove(source_);
  write_file(text_, to_text(doubling_in_files())).value();
  EXPECT_THAT(told(text_), AllOf(HasSubstr("doubling.kmux:2:11: error: cannot read"), HasSubstr("src/twice.c")));
  write_file(carrier_, "void twice(float* a) {}\n").value();
  EXPECT_THAT(told(carrier_), HasSubstr("carries no program"));
}

TEST_F(TextProgramFileTest, RejectsSourcesOutsideItsFolder) {
  const auto with_source = [&](const std::string& path) {
    write_file(text_, "kernel k(a: f32[1])\n  sources \"" + path + "\"\n  launch twice(a)\n").value();
    return told(text_);
  };
  EXPECT_THAT(with_source("../outside.c"), HasSubstr("2:11: error: file path \"../outside.c\" is refused"));
  EXPECT_THAT(with_source((root_ / "outside.c").string()), HasSubstr("is refused"));
  fs::create_symlink(root_ / "outside.c", root_ / "inside" / "link.c");
  EXPECT_THAT(with_source("link.c"), HasSubstr("leaves the program's folder"));
  EXPECT_THAT(with_source("doubling.kmux.json"), HasSubstr("do not say their dialect"));
}

}  // namespace
}  // namespace kmux
