#include "simt/loader/code_symbols.h"

#include <cinttypes>
#include <fstream>
#include <optional>
#include <sstream>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backend.h"
#include "jobs.h"
#include "llvm/Object/ELFObjectFile.h"
#include "simt/loader/gdb_interface.h"
#include "workbench.h"

namespace kmux::cpu {

using namespace simt;
namespace {

using testing::HasSubstr;

// Returns the address of `function` in the object files that are registered with gdb.
std::optional<std::uint64_t> address_for_gdb(const std::string& function) {
  for (const jit_code_entry* one = __jit_debug_descriptor.first_entry; one != nullptr; one = one->next_entry) {
    const llvm::MemoryBufferRef bytes(llvm::StringRef(one->symfile_addr, one->symfile_size), "kernel.o");
    auto object = llvm::object::ELF64LEObjectFile::create(bytes);
    if (!object) {
      llvm::consumeError(object.takeError());
      continue;
    }
    for (const llvm::object::SymbolRef symbol : object->symbols()) {
      if (llvm::cantFail(symbol.getName()) != function) continue;
      return llvm::cantFail(symbol.getValue()) + llvm::cantFail(symbol.getSection())->getAddress();
    }
  }
  return std::nullopt;
}

std::string map_text() {
  std::ostringstream text;
  text << std::ifstream(perf_map()).rdbuf();
  return text.str();
}

class CodeSymbolsTest : public testing::Test {
 protected:
  CodeSymbolsTest() { ::unlink(perf_map().c_str()); }
  ~CodeSymbolsTest() override {
    show_code(false);
    ::unlink(perf_map().c_str());
  }
  Result<Loaded> load() { return compile_and_load(compiler_, job_of("f.c", "int f(int x) { return x + 1; }")); }
  Compiler compiler_;
};

TEST_F(CodeSymbolsTest, AreRegisteredWithGdbWhileCodeIsLoaded) {
  show_code(true);
  {
    const Loaded code = load().value();
    EXPECT_EQ(code(4), 5);
    EXPECT_EQ(address_for_gdb("entry"), reinterpret_cast<std::uint64_t>(code.code->entry()));
  }
  EXPECT_EQ(address_for_gdb("entry"), std::nullopt);
}

TEST_F(CodeSymbolsTest, AreUnregisteredIndividually) {
  show_code(true);
  std::optional<Loaded> first = load().value();
  const Loaded second = load().value();
  first.reset();
  EXPECT_EQ(address_for_gdb("entry"), reinterpret_cast<std::uint64_t>(second.code->entry()));
}

TEST_F(CodeSymbolsTest, AreListedInPerfMap) {
  show_code(true);
  const Loaded code = load().value();
  char begin[32];
  std::snprintf(begin, sizeof begin, "%" PRIx64 " ", reinterpret_cast<std::uint64_t>(code.code->entry()));
  EXPECT_THAT(map_text(), testing::ContainsRegex(begin + std::string("[0-9a-f]+ entry\n")));
}

TEST_F(CodeSymbolsTest, UseNameOfCudaKernel) {
  show_code(true);
  ProgramBuilder builder("sample");
  builder.buffer("y", BufferParam{dtype::kFloat32, {64}});
  builder.variant("cuda").source("k.cu", "__global__ void add_one(float* y) { y[threadIdx.x] += 1; }");
  builder.launch("add_one").grid({Expr(1)}).block({Expr(64)}).args({"y"});
  Workbench bench;
  const auto kernel = bench.load(builder.build().value(), {});
  ASSERT_TRUE(kernel.ok()) << kernel.error().explain();
  EXPECT_THAT(map_text(), HasSubstr(" add_one.blocks\n"));
  EXPECT_TRUE(address_for_gdb("add_one.blocks").has_value());
}

TEST_F(CodeSymbolsTest, AreDisabledByDefault) {
  const Loaded code = load().value();
  EXPECT_EQ(address_for_gdb("entry"), std::nullopt);
  EXPECT_EQ(map_text(), "");
}

TEST_F(CodeSymbolsTest, AreNotWrittenThroughSymlinks) {
  const std::string other = perf_map() + ".other";
  ASSERT_EQ(::symlink(other.c_str(), perf_map().c_str()), 0);
  add_to_perf_map({{"f", 1, 2}});
  EXPECT_NE(::access(other.c_str(), F_OK), 0);
}

TEST_F(CodeSymbolsTest, AreEnabledByHostOption) {
  FakeHost host;
  host.options["cpu.code_symbols"] = "perhaps";
  EXPECT_EQ(take_symbols_option(host).error().code, ErrorCode::kInvalidArgument);
  host.options["cpu.code_symbols"] = "on";
  ASSERT_TRUE(take_symbols_option(host).ok());
  EXPECT_TRUE(shows_code());
  host.options.clear();
  ASSERT_TRUE(take_symbols_option(host).ok());
  EXPECT_FALSE(shows_code());
}

}  // namespace
}  // namespace kmux::cpu
