#include "regress/machine_class.h"

#include <gtest/gtest.h>

namespace kmux::regress {
namespace {

TEST(MachineClassTest, NamesTheProcessorWithFamilyAndModel) {
  EXPECT_EQ(processor_in("processor\t: 0\ncpu family\t: 25\nmodel\t\t: 17\nmodel name\t: AMD EPYC\n\nprocessor\t: 1\n"),
            "AMD EPYC family 25 model 17");
}

TEST(MachineClassTest, FallsBackWhenProcessorFieldsAreMissing) {
  EXPECT_EQ(processor_in("model name\t: A64\n"), "A64");
  EXPECT_EQ(processor_in("Features\t: fp\n"), "unknown");
  EXPECT_EQ(processor_in(""), "unknown");
}

TEST(MachineClassTest, SanitizesItsFileName) {
  const MachineClass machine{"Intel(R) Xeon(R) ../CPU @ 2.20GHz", "g++ 12", "Release"};
  EXPECT_EQ(machine.file_name(), "intel-r-xeon-r-cpu-2-20ghz-g-12-release.json");
}

TEST(MachineClassTest, DistinguishesCompilersAndBuildTypes) {
  const MachineClass machine{"A", "g++ 12", "Release"};
  EXPECT_NE(machine.file_name(), (MachineClass{"A", "clang++ 19", "Release"}).file_name());
  EXPECT_NE(machine.file_name(), (MachineClass{"A", "g++ 12", "Debug"}).file_name());
}

TEST(MachineClassTest, IsDetectedOnThisMachine) {
  const MachineClass machine = this_machine_class();
  EXPECT_FALSE(machine.processor.empty());
  EXPECT_FALSE(machine.compiler.empty());
  EXPECT_EQ(machine, this_machine_class());
}

}  // namespace
}  // namespace kmux::regress
