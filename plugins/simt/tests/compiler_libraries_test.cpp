#include <filesystem>

#include <gtest/gtest.h>

#include "simt/frontend/installation.h"

namespace kmux::simt {
namespace {

// Linked into this program, Clang has no separate file; otherwise Clang and LLVM have one each.
TEST(CompilerLibrariesTest, ExistUnlessLinkedStatically) {
  const auto libraries = compiler_libraries();
  EXPECT_EQ(libraries.size(), KMUX_STATIC_LLVM ? 0U : 2U);
  for (const std::string& library : libraries) EXPECT_TRUE(std::filesystem::exists(library)) << library;
}

}  // namespace
}  // namespace kmux::simt
