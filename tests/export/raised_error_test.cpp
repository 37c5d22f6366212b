// Errors in a process that has libtvm_ffi: a fake one, opened before the library, as Python opens the real one.
#include <dlfcn.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "export/exported_program.h"
#include "export/opened_library.h"

namespace kmux::test {
namespace {

TEST(RaisedErrorTest, ReachesLibtvmffi) {
  void* const fake = dlopen(KMUX_FAKE_TVM_FFI, RTLD_NOW | RTLD_GLOBAL);
  ASSERT_NE(fake, nullptr) << dlerror();
  const auto raised = reinterpret_cast<const char* (*)()>(dlsym(fake, "fake_tvm_ffi_raised"));
  const ExportFolder folder;
  const OpenedLibrary library(folder.exported(everything()).library, "everything");
  CallTable table;
  EXPECT_EQ(library(table.calls().front().args), "");
  EXPECT_STREQ(raised(), "");
  const std::string text = library({});
  EXPECT_EQ(raised(), "ValueError: " + text);
  std::vector<CallValue> failing = table.calls().front().args;
  failing[8] = 13;
  const std::string failure = library(failing);
  EXPECT_EQ(raised(), "kmux.launch_failed: " + failure);
}

}  // namespace
}  // namespace kmux::test
