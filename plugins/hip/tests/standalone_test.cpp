#include <dlfcn.h>
#include <filesystem>

#include "kmux/plugin/host_compiler.h"
#include "kmux/plugin/process.h"

#include "over_fake.h"
#include "temp_folder.h"
#include "wrapper.h"

namespace kmux::hip {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::Not;

// A library built from the unit as users would, and its functions.
class Library {
 public:
  /// `variable` names the location of HIP; it is read at the first call.
  explicit Library(const Artifact& unit, const char* variable = "KMUX_HIP_LIBRARY",
                   const std::string& value = FakeHip::path()) {
    for (const Artifact::Part& part : unit.parts) folder_.write(part.name, part.content);
    const Command command{{find_host_compiler("", "a test").value(), "-std=c++17", "-Wall", "-Werror", "-O1", "-shared",
                           "-fPIC", "-fvisibility=hidden", "-o", "unit.so", "launcher.cpp", "-ldl"},
                          folder_.path().string()};
    const ProcessResult result = run(command).value();
    EXPECT_EQ(result.exit_code, 0) << result.standard_error;
    for (const char* const other : {"KMUX_HIP_LIBRARY", "ROCM_PATH"}) unsetenv(other);
    setenv(variable, value.c_str(), 1);
    handle_ = dlopen((folder_.path() / "unit.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(handle_, nullptr) << dlerror();
  }
  template <class Function>
  Function* function(const char* name) const {
    return reinterpret_cast<Function*>(dlsym(handle_, name));
  }
  std::string last_error() const { return function<const char*()>("get_last_error")(); }
  int init() const { return function<int()>("init")(); }

 private:
  TempFolder folder_;
  void* handle_ = nullptr;
};

class HipStandaloneTest : public OverFake {
 protected:
  Artifact unit_of(const Program& program) {
    const BuildRequest request{program, 0, Target{"hip", "gfx90a", {}}, {}};
    return backend.standalone(request, built(program)).value();
  }
};

TEST_F(HipStandaloneTest, ProvidesInitCallAndErrorText) {
  ProgramBuilder builder = one_kernel(kAddOne);
  builder.workspace("w", Expr::symbol("n") * 4);
  builder.body().fill("w", Expr::symbol("n") * 4);
  builder.launch("k").grid({1}).block({64}).args({"w"}).arg(Expr::symbol("n"));
  const Artifact unit = unit_of(builder.build().value());
  EXPECT_THAT(*unit.find("launcher.cpp"), HasSubstr("int call(void* x, long long n, hipStream_t kmux_stream)"));
  EXPECT_THAT(*unit.find("launcher.cpp"), Not(HasSubstr("#include \"")));
  EXPECT_THAT(*unit.find("link.json"), HasSubstr("\"device_type\":10"));
  const Library library(unit);
  const DeviceVector x(backend, 300);
  EXPECT_EQ(library.init(), 0) << library.last_error();
  auto* const call = library.function<int(void*, long long, void*)>("call");
  for (int i = 0; i < 2; ++i) EXPECT_EQ(call(x.address(), 300, nullptr), 0) << library.last_error();
  EXPECT_THAT(x.values(), Each(2.0F));
  EXPECT_EQ(library.last_error(), "");
  kept.modules = 1;
}

TEST_F(HipStandaloneTest, ReplaysBodyWithOptionGraph) {
  options["graph"] = "on";
  ProgramBuilder builder = one_kernel(kAddOne);
  builder.body().fill("x", Expr::symbol("n") * 4);
  builder.launch("k").grid({1}).block({64}).args({"x"}).arg(Expr::symbol("n"), dtype::kInt32);
  const Artifact unit = unit_of(builder.build().value());
  EXPECT_THAT(*unit.find("launcher.cpp"), HasSubstr("static const unsigned program_sizes_0[] = {8, 4, 0};"));
  EXPECT_THAT(*unit.find("launcher.cpp"), HasSubstr("1, false, true, program_steps, 3};"));
  const Library library(unit);
  const DeviceVector x(backend, 64);
  EXPECT_EQ(library.init(), 0) << library.last_error();
  auto* const call = library.function<int(void*, long long, void*)>("call");
  EXPECT_EQ(call(x.address(), 64, nullptr), 0) << library.last_error();
  fake->clear_calls();
  EXPECT_EQ(call(x.address(), 64, nullptr), 0) << library.last_error();
  EXPECT_THAT(work(), testing::ElementsAre("hipGraphLaunch"));
  EXPECT_THAT(x.values(), Each(1.0F));
  kept = {.modules = 1, .graphs = 2};
}

TEST_F(HipStandaloneTest, AlignsWorkspacesAsDeclared) {
  ProgramBuilder builder("aligned");
  builder.buffer("x", BufferParam{dtype::kFloat32, {builder.symbol("n")}}).variant("hip");
  builder.source("k.hip",
                 "extern \"C\" __global__ void k(float* x, char* w) {\n"
                 "  w[0] = w[99] = 1;\n"
                 "  x[0] = 1 + (float)((unsigned long long)w % 65536);\n}\n");
  builder.workspace("w", 100, 65536);
  builder.launch("k").grid({1}).block({1}).args({"x", "w"});
  const Library library(unit_of(builder.build().value()));
  const DeviceVector x(backend, 1);
  auto* const call = library.function<int(void*, long long, void*)>("call");
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(call(x.address(), 1, nullptr), 0) << library.last_error();
    EXPECT_THAT(x.values(), Each(1.0F));
  }
  kept.modules = 1;
}

TEST_F(HipStandaloneTest, FindsRuntimeByRocmPath) {
  const TempFolder rocm;
  std::filesystem::create_directory(rocm.path() / "lib");
  std::filesystem::copy_file(FakeHip::path(), rocm.path() / "lib/libamdhip64.so.6");
  const Library library(unit_of(one_kernel(kAddOne).build().value()), "ROCM_PATH", rocm.path().string());
  EXPECT_EQ(library.init(), 0) << library.last_error();
  EXPECT_EQ(loaded_hip(), rocm.path() / "lib/libamdhip64.so.6");
}

// The runtime has the functions, but this device does not support them.
TEST_F(HipStandaloneTest, AllocatesWorkspacesWithoutPools) {
  fake->set_devices({{.memory_pools = 0}});
  ProgramBuilder builder = one_kernel(kAddOne);
  builder.workspace("w", Expr::symbol("n") * 4);
  builder.launch("k").grid({1}).block({64}).args({"w"}).arg(Expr::symbol("n"));
  const Library library(unit_of(builder.build().value()));
  const DeviceVector x(backend, 300);
  EXPECT_EQ(library.init(), 0) << library.last_error();
  fake->clear_calls();
  auto* const call = library.function<int(void*, long long, void*)>("call");
  EXPECT_EQ(call(x.address(), 300, nullptr), 0) << library.last_error();
  EXPECT_THAT(work(), AllOf(Contains("hipMalloc"), Contains("hipFree"), Not(Contains("hipMallocAsync"))));
  kept.modules = 1;
}

TEST_F(HipStandaloneTest, ReportsErrors) {
  ProgramBuilder builder("big");
  builder.buffer("x", BufferParam{dtype::kFloat32, {64}}).variant("hip");
  builder.source("k.hip", "extern \"C\" __global__ void a(float* x) {}\nextern \"C\" __global__ void b(float* x) {}\n");
  builder.launch("a").grid({1}).block({64}).args({"x"});
  builder.launch("b").grid({1}).block({64}).dynamic_smem_bytes(99999).args({"x"});
  const Library library(unit_of(builder.build().value()));
  EXPECT_EQ(library.init(), -1);
  EXPECT_THAT(library.last_error(), HasSubstr("kernel \"b\" requests 99999 bytes of dynamic shared memory"));
}

TEST_F(HipStandaloneTest, RejectsIncompleteArtifact) {
  const Program program = one_kernel(kAddOne).build().value();
  const BuildRequest request{program, 0, Target{"hip", "gfx90a", {}}, {}};
  EXPECT_THAT(backend.standalone(request, {}).error().message, HasSubstr("no part \"code\""));
}

}  // namespace
}  // namespace kmux::hip
