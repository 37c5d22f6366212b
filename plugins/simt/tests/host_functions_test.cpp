// SPDX-License-Identifier: Apache-2.0
#include "simt/frontend/host_functions.h"

#include <gtest/gtest.h>

namespace kmux::simt {
namespace {

// Returns the outermost body around the first '@' of `text`, which is no part of C++; "device: " before one for the device.
std::string body_of(const std::string& text) {
  const FunctionBody body = body_around(text, text.find('@'));
  return (body.is_for_device ? "device: " : "") + text.substr(body.begin, body.end - body.begin);
}

TEST(HostFunctionsTest, BodyIsFoundInNamespacesAndClasses) {
  EXPECT_EQ(body_of("int f() { return @; }"), "{ return @; }");
  EXPECT_EQ(
      body_of("namespace a {\ntemplate <class T = int>\nstruct S : B<T> {\n int g() { return 1; }\n public:\n static "
              "auto f(int a = 1) noexcept -> int { if (a) { @ } return 0; } int h; };\n}"),
      "{ if (a) { @ } return 0; }");
  EXPECT_EQ(body_of("struct S { S() : a{1}, b(2), c{} { @ } int a; };"), ": a{1}, b(2), c{} { @ }");
  EXPECT_EQ(body_of("int a[] = {1, f(2)};\nauto g = [] { return 1; }();\nvoid f() { @ }"), "{ @ }");
  EXPECT_EQ(body_of("struct alignas(16) S : B<(1)> { bool operator<(S s) { @ } };"), "{ @ }");
  EXPECT_EQ(body_of("#define A(x) { (\n#if B\nvoid f() { @ }\n#endif\n"), "{ @ }");
}

TEST(HostFunctionsTest, BodiesForDeviceAreKnown) {
  EXPECT_EQ(body_of("__device__ int f() { return @; }"), "device: { return @; }");
  EXPECT_EQ(body_of("void g() {} template <class T> CUTE_HOST_DEVICE int f(T t) { return @; }"),
            "device: { return @; }");
  EXPECT_EQ(body_of("__device__ int g();\nint f() { return @; }"), "{ return @; }");
}

TEST(HostFunctionsTest, OtherPlacesHaveNoBody) {
  EXPECT_EQ(body_of("int f() { return 1; } int x = @;"), "");
  EXPECT_EQ(body_of("struct S { int a = @; };"), "");
  EXPECT_EQ(body_of("namespace a { @ }"), "");
  EXPECT_EQ(body_of("int f() { @"), "");
}

TEST(HostFunctionsTest, BodyIsLeftOutAtItsLines) {
  CorrectedTexts texts;
  HostFunctions host(texts);
  llvm::vfs::InMemoryFileSystem files;
  files.addFile("/k.h", 0,
                llvm::MemoryBuffer::getMemBufferCopy("int f() {\n  return g();\n}\n__device__ int h() { k; }\n"));
  EXPECT_TRUE(host.leave_out("/k.h:2:10: error: use of undeclared identifier 'g'\n", "/k.cu", files));
  EXPECT_EQ(*texts.find("/k.h", files), "int f() ;\n             \n \n__device__ int h() { k; }\n");
  EXPECT_EQ(host.warnings(),
            "/k.h:2:10: warning: a function for the host does not compile here. Its body is left out.\n");
  EXPECT_FALSE(host.leave_out("/k.h:4:22: error: use of undeclared identifier 'k'\n", "/k.cu", files));
  EXPECT_FALSE(host.leave_out("/k.h:2:10: error: x\n", "/k.h", files)) << "the source itself";
  EXPECT_FALSE(host.leave_out("no place", "/k.cu", files));
}

}  // namespace
}  // namespace kmux::simt
