#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "jit/kernel_map.h"
#include "kernel_with_header.h"
#include "temp_folder.h"

namespace kmux {
namespace {

CallForm form_of(std::uint64_t word) {
  CallForm form;
  form.add(word);
  return form;
}
Kernel kernel() { return make_kernel(fake_parts({})).value(); }

TEST(FormTableTest, FindsInsertedForm) {
  FormTable table;
  EXPECT_FALSE(table.find(form_of(1)));
  ASSERT_TRUE(table.insert(form_of(1), kernel()));
  EXPECT_TRUE(table.find(form_of(1)));
  EXPECT_FALSE(table.find(form_of(2)));
  EXPECT_FALSE(table.find(CallForm()));
}

TEST(FormTableTest, KeepsFirstKernelOfForm) {
  FormTable table;
  const Kernel first = kernel(), second = kernel();
  table.insert(form_of(1), first);
  table.insert(form_of(1), second);
  EXPECT_EQ(&table.find(form_of(1))->name(), &first.name());
}

TEST(FormTableTest, KeepsKernelAddressesWhileGrowing) {
  FormTable table;
  const Kernel one = kernel();
  table.insert(form_of(0), one);
  const Kernel* const first = &*table.find(form_of(0));
  for (std::uint64_t i = 1; i < 1000; ++i) table.insert(form_of(i), one);
  EXPECT_EQ(&*table.find(form_of(0)), first);
  for (std::uint64_t i = 0; i < 1000; ++i) ASSERT_TRUE(table.find(form_of(i)));
}

TEST(FormTableTest, IgnoresAndReplacesStaleKernel) {
  const TempFolder folder;
  FormTable table;
  const Kernel old = kernel_with_header(folder.write("a.h", "1"));
  const Kernel one = kernel_with_header(folder.write("b.h", "1")), other = kernel();
  table.insert(form_of(1), old);
  EXPECT_EQ(&table.find(form_of(1))->name(), &old.name());
  folder.write("a.h", "2");
  EXPECT_FALSE(table.find(form_of(1)));
  ASSERT_TRUE(table.insert(form_of(1), one));
  EXPECT_EQ(&table.find(form_of(1))->name(), &one.name());
  ASSERT_TRUE(table.insert(form_of(1), other));
  EXPECT_EQ(&table.find(form_of(1))->name(), &one.name()) << "it is up to date";
  folder.write("b.h", "2");
  EXPECT_FALSE(table.find(form_of(1)));
  ASSERT_TRUE(table.insert(form_of(1), other));
  EXPECT_EQ(&table.find(form_of(1))->name(), &other.name());
}

TEST(FormTableTest, RejectsNewFormsWhenFull) {
  FormTable table;
  const Kernel one = kernel();
  for (std::uint64_t i = 0; i < FormTable::kMaxForms; ++i) ASSERT_TRUE(table.insert(form_of(i), one));
  EXPECT_FALSE(table.insert(form_of(FormTable::kMaxForms), one));
  EXPECT_TRUE(table.insert(form_of(0), one));  // already in it
  EXPECT_FALSE(table.find(form_of(FormTable::kMaxForms)));
}

TEST(FormTableTest, SupportsReadsWhileGrowing) {
  FormTable table;
  const Kernel one = kernel();
  table.insert(form_of(0), one);
  std::atomic<bool> done = false;
  std::atomic<bool> lost = false;
  std::thread reader([&] {
    while (!done) lost = lost || !table.find(form_of(0));
  });
  for (std::uint64_t i = 1; i < 5000; ++i) table.insert(form_of(i), one);
  done = true;
  reader.join();
  EXPECT_FALSE(lost);
}

}  // namespace
}  // namespace kmux
