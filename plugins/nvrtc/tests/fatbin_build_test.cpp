#include <gmock/gmock.h>

#include "../../nvidia/tests/cubin_example.h"
#include "meta.h"
#include "nvidia/cubin.h"
#include "workbench.h"

namespace kmux::nvrtc {
namespace {

using testing::HasSubstr;

class NvrtcFatbinTest : public NvrtcTest {
 protected:
  std::string form_of(const Artifact& artifact) { return parse_meta(*artifact.find("meta.json")).value().form; }
};

TEST_F(NvrtcFatbinTest, SelectsCodeThatRunsOnTarget) {
  using nvidia::FatbinExample;
  Program program = one_kernel(kAddOne).build().value();
  const std::string code = *build(program).value().find("code");
  const std::string ptx = ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 x) { ret; }\n";
  FatbinExample fatbin{{{FatbinExample::kCubin, 80, "for others"},
                        {FatbinExample::kPtx, 80, ptx},
                        {FatbinExample::kCubin, 90, code, FatbinExample::kOwnArch}}};
  program.variants[0].dialect = "cubin";
  program.variants[0].sources = {{"k.fatbin", fatbin.bytes()}};
  const Artifact binary = build(program).value();
  EXPECT_EQ(nvidia::cubin_kernels(*binary.find("code")).value(), std::vector<std::string>{"k"});
  EXPECT_THAT(*binary.find("kernels.json"), HasSubstr("\"registers\""));
  EXPECT_EQ(form_of(build(program, {}, "cuda:sm_120a").value()), "ptx");
  EXPECT_THAT(failure(program, {}, "cuda:sm_75").message, HasSubstr("(it has sm_80, compute_80, sm_90a)"));
  fatbin.entries[2].flags |= FatbinExample::kZstd;
  program.variants[0].sources = {{"k.fatbin", fatbin.bytes()}};
  const Artifact compressed = build(program).value();
  EXPECT_EQ(form_of(compressed), "fatbin");
  EXPECT_EQ(*compressed.find("code"), fatbin.bytes());
  EXPECT_EQ(compressed.find("kernels.json"), nullptr);
}

}  // namespace
}  // namespace kmux::nvrtc
