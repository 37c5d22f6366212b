// SPDX-License-Identifier: Apache-2.0
#include "simt/frontend/missing_templates.h"

#include <gtest/gtest.h>

#include "clang/Lex/PreprocessorOptions.h"

namespace kmux::simt {
namespace {

class MissingTemplatesTest : public testing::Test {
 protected:
  // Returns the text of /k.h after the errors of `log`; empty if they name no place in it.
  std::string corrected(const std::string& text, const std::string& log) {
    llvm::vfs::InMemoryFileSystem files;
    files.addFile("/k.h", 0, llvm::MemoryBuffer::getMemBufferCopy(text));
    if (!missing_.add(log, files)) return "";
    clang::PreprocessorOptions options;
    texts_.apply(options);
    std::string result;
    for (const auto& [path, buffer] : options.RemappedFileBuffers) {
      EXPECT_EQ(path, "/k.h");
      result += buffer->getBuffer();
      delete buffer;  // NOLINT(cppcoreguidelines-owning-memory): a compilation would own it
    }
    return result;
  }
  static std::string member_at(const std::string& place) {
    return place + ": error: reference to non-static member function must be called\n";
  }
  static std::string overload_at(const std::string& place) {
    return place + ": error: reference to overloaded function could not be resolved; did you mean to call it?\n";
  }
  CorrectedTexts texts_;
  MissingTemplates missing_{texts_};
};

TEST_F(MissingTemplatesTest, WordIsAddedBeforeMember) {
  EXPECT_EQ(corrected("x;\ny = a.get<1>();\n", member_at("/k.h:2:7")), "x;\ny = a.template get<1>();\n");
  EXPECT_EQ(missing_.warnings(),
            "/k.h:2:7: warning: the word template is missing before \"get\" (nvcc accepts this, C++ does not). It is "
            "compiled as if it were there.\n");
}

TEST_F(MissingTemplatesTest, AllPlacesOfALogAreCorrected) {
  const std::string log = "In file included from k.cu:1:\n" + member_at("/k.h:1:3") + " 1 | a.f<1>() + b->g<2>();\n" +
                          member_at("/k.h:1:16") + member_at("/k.h:1:3") + overload_at("/k.h:2:1");
  EXPECT_EQ(corrected("a.f<1>() +  b->g<2>();\nT::U::h<3>(0);\n", log),
            "a.template f<1>() +  b->template g<2>();\nT::U::template h<3>(0);\n");
}

TEST_F(MissingTemplatesTest, LaterLogsAreAboutCorrectedText) {
  EXPECT_EQ(corrected("a.f<1>(); a.g<1>();", member_at("/k.h:1:3")), "a.template f<1>(); a.g<1>();");
  EXPECT_EQ(corrected("", member_at("/k.h:1:22")), "a.template f<1>(); a.template g<1>();");
}

TEST_F(MissingTemplatesTest, OtherErrorsNameNoPlace) {
  const std::string text = "a.size < 1; f<1>; a.b;\n";
  for (const std::string& log :
       {std::string(), member_at("/k.h:1:3"), member_at("/k.h:1:13"), member_at("/k.h:1:21"), member_at("/k.h:9:1"),
        member_at("/absent.h:1:3"), member_at("k names"), std::string("/k.h:1:3: error: no member named 'f' in 'A'\n")})
    EXPECT_EQ(corrected(text, log), "") << log;
  EXPECT_EQ(missing_.warnings(), "");
}

TEST_F(MissingTemplatesTest, AttemptsEnd) {
  int attempts = 0;
  std::string text;
  for (int i = 0; i < 100; ++i) text += "a.f<1>();\n";
  while (!corrected(text, member_at("/k.h:" + std::to_string(attempts + 1) + ":3")).empty()) ++attempts;
  EXPECT_EQ(attempts, 16);
}

}  // namespace
}  // namespace kmux::simt
