#include "kmux/plugin/emit_checks.h"

#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/dynamic_library.h"
#include "kmux/plugin/emit.h"
#include "kmux/plugin/host_compiler.h"
#include "kmux/plugin/private_folder.h"
#include "kmux/plugin/process.h"

#include "call_table.h"
#include "kept_output.h"
#include "kernel/argument_checker.h"
#include "plugins/plugin_library.h"

namespace kmux {
namespace {

using testing::HasSubstr;
using testing::Not;

Signature one_tensor() {
  return {{{"A", BufferParam{dtype::kFloat32, {Expr::symbol("n")}}}, {"s", ScalarParam{dtype::kInt32}}},
          {},
          {{"n", dtype::kInt64}}};
}

/// Printed checks, compiled.
class PrintedLibrary {
 public:
  PrintedLibrary(const Signature& signature, const CheckPrinting& printing,
                 const std::string& standard = "-std=c++17") {
    const PrintedChecks printed = emit_checks(signature, printing).value();
    slot_count_ = printed.slot_count;
    const std::string code = "#include <stddef.h>\n#include <stdint.h>\n" + checks_prelude() + printed.text +
                             "\nextern \"C\" int check(const TVMFFIAny* args, int32_t count, kmux_slot* slots, int* "
                             "device, kmux_sink error) { return " +
                             printing.prefix + "_check(args, count, slots, device, error); }\n";
    const Command command{.argv = {find_host_compiler("", "the test").value(), standard, "-O1", "-shared", "-fPIC",
                                   "-Wno-attributes", "-x", "c++", "-"},
                          .standard_input = launcher_prelude_for(code) + code};
    library_ = DynamicLibrary::open({test::kept_output(command).value()}).value();
    check_ = reinterpret_cast<Function>(library_->symbol("check").value());
  }

  /// Returns "" or the error of the call.
  std::string operator()(const std::vector<CallValue>& values) {
    std::vector<TVMFFIAny> args;
    for (const CallValue& value : values) args.push_back(value.any());
    return call(args);
  }
  std::string call(const std::vector<TVMFFIAny>& args) { return call(args.data(), args.size()); }
  std::string call_without_array(std::size_t count) { return call(nullptr, count); }
  const std::vector<kmux_slot>& slots() const { return slots_; }
  std::size_t slot_count() const { return slot_count_; }
  int device() const { return device_; }

 private:
  std::string call(const TVMFFIAny* args, std::size_t count) {
    slots_.assign(slot_count_ + 1, kmux_slot{});
    ByteSink text;
    const int code = check_(args, static_cast<std::int32_t>(count), slots_.data(), &device_, text.get());
    EXPECT_EQ(code, text.text().empty() ? KMUX_OK : KMUX_INVALID_ARGUMENT);
    return text.take();
  }

  using Function = int (*)(const TVMFFIAny*, std::int32_t, kmux_slot*, int*, kmux_sink);
  std::optional<DynamicLibrary> library_;
  Function check_ = nullptr;
  std::size_t slot_count_ = 0;
  std::vector<kmux_slot> slots_;
  int device_ = -1;
};

/// The runtime's checks of the same signature.
class InterpretedChecks {
 public:
  InterpretedChecks(Signature signature, AcceptedMemory memory)
      : signature_(std::move(signature)), checker_("k", signature_, compile_checks(signature_).value(), memory) {}

  std::string operator()(const std::vector<CallValue>& values) {
    std::vector<Arg> args;
    for (const CallValue& value : values) args.push_back(value.arg());
    slots_.assign(checker_.frame_size() + 1, kmux_slot{});
    const Result<int> device = checker_.check(args, slots_.data());
    return device ? "" : device.error().message;
  }
  std::size_t slot_count() const { return checker_.frame_size(); }
  const std::vector<kmux_slot>& slots() const { return slots_; }

 private:
  Signature signature_;
  ArgumentChecker checker_;
  std::vector<kmux_slot> slots_;
};

TEST(EmitChecksTest, MatchesRuntimeChecks) {
  CallTable table;
  PrintedLibrary printed(CallTable::signature(), {.kernel = "k"});
  InterpretedChecks interpreted(CallTable::signature(), {});
  ASSERT_EQ(printed.slot_count(), interpreted.slot_count());
  for (const NamedCall& call : table.calls()) {
    if (call.args.size() != CallTable::signature().params.size()) continue;  // the kernel counts, not the checker
    const std::string expected = in_no_language(interpreted(call.args));
    EXPECT_EQ(printed(call.args), expected) << call.name;
    EXPECT_EQ(expected.empty(), call.is_good) << call.name << ": " << expected;
    if (!expected.empty()) continue;
    for (std::size_t i = 0; i < printed.slot_count(); ++i) {
      EXPECT_EQ(printed.slots()[i].bits, interpreted.slots()[i].bits) << call.name << ", slot " << i;
    }
  }
}

TEST(EmitChecksTest, ReportsPossibleCarriersOfSymbol) {
  Signature signature = one_tensor();
  std::get<BufferParam>(signature.params[0].kind).nullable = true;
  signature.params.push_back({"B", signature.params[0].kind});
  PrintedLibrary printed(signature, {.kernel = "k"});
  InterpretedChecks interpreted(signature, {});
  const std::vector<CallValue> nobody = {nullptr, 1, nullptr};
  EXPECT_THAT(printed(nobody), HasSubstr("at least one non-null tensor among \"A\", \"B\""));
  EXPECT_EQ(printed(nobody), interpreted(nobody));
}

TEST(EmitChecksTest, CountsTrailingArguments) {
  PrintedLibrary printed(one_tensor(), {.prefix = "my_gemm", .kernel = "gemm", .trailing = {"stream", "device_id"}});
  CallTable table;
  EXPECT_EQ(printed({table.tensor(dtype::kFloat32, {4}), 1, 2, 3}), "");
  EXPECT_EQ(
      printed({}),
      "kernel \"gemm\": expected 4 arguments, got 0 (they are A, s, stream, device_id). Pass one of each, in this "
      "order.");
}

TEST(EmitChecksTest, AcceptsTensorObjects) {
  PrintedLibrary printed(one_tensor(), {.kernel = "k"}, "-std=c++20");
  CallTable table;
  struct {
    TVMFFIObject head{};
    DLTensor tensor{};
  } object;
  object.tensor = *table.tensor(dtype::kFloat32, {4});
  TVMFFIAny tensor{kTVMFFITensor, 0, {}};
  tensor.v_obj = &object.head;
  EXPECT_EQ(printed.call({tensor, CallValue(7).any()}), "");
  EXPECT_EQ(printed.slots()[0].ptr, object.tensor.data);
  EXPECT_EQ(printed.slots()[1].bits, 7U);
  EXPECT_EQ(printed.slots()[2].i64, 4);
}

TEST(EmitChecksTest, RejectsNullAddressesFromTvmFfi) {
  PrintedLibrary printed(one_tensor(), {.kernel = "k"});
  EXPECT_EQ(printed.call({TVMFFIAny{kTVMFFITensor, 0, {}}, CallValue(7).any()}),
            "kernel \"k\": parameter \"A\" is null (a kernel uses it). Pass a tensor of float32[n].");
  EXPECT_EQ(printed.call_without_array(2),
            "kernel \"k\": expected 2 arguments, got a null array (they are A, s). Pass one of each, in this order.");
  PrintedLibrary without_parameters({}, {.kernel = "k"});
  EXPECT_EQ(without_parameters.call_without_array(0), "");
}

TEST(EmitChecksTest, ReportsUnsupportedTypes) {
  PrintedLibrary printed(one_tensor(), {.kernel = "k"});
  TVMFFIAny text{65, 0, {}};
  EXPECT_THAT(printed.call({text, CallValue(7).any()}), HasSubstr("parameter \"A\" is a value of TVM-FFI type 65"));
}

TEST(EmitChecksTest, FirstDeviceTensorSelectsDevice) {
  Signature signature = one_tensor();
  signature.params.push_back({"B", BufferParam{dtype::kFloat32, {Expr::symbol("n")}}});
  PrintedLibrary printed(signature, {.kernel = "k", .device_type = kDLCUDA, .other_device_types = {kDLCUDAHost}});
  CallTable table;
  const auto on = [&](DLDevice device) {
    DLTensor* const tensor = table.tensor(dtype::kFloat32, {4});
    tensor->device = device;
    return tensor;
  };
  EXPECT_EQ(printed({on({kDLCUDA, 3}), 1, on({kDLCUDA, 3})}), "");
  EXPECT_EQ(printed.device(), 3);
  EXPECT_EQ(printed({on({kDLCUDAHost, 0}), 1, on({kDLCUDA, 2})}), "");
  EXPECT_EQ(printed.device(), 2);
  EXPECT_EQ(printed({on({kDLCUDA, 3}), 1, on({kDLCUDA, 1})}),
            "kernel \"k\": parameter \"B\" is on cuda:1 (the tensors before it are on cuda:3). Pass tensors of one "
            "device.");
  // C2.17: no C++ in messages.
  EXPECT_EQ(printed({on({kDLCPU, 0}), 1, on({kDLCUDA, 1})}),
            "kernel \"k\": parameter \"A\" is on cpu (the kernel runs on cuda:0). Pass a tensor that is there.");
}

TEST(EmitChecksTest, RejectsUndeterminedSymbol) {
  Signature signature = one_tensor();
  signature.symbols.push_back({"lost", dtype::kInt64});
  const auto printed = emit_checks(signature, {});
  ASSERT_FALSE(printed.ok());
  EXPECT_EQ(printed.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(printed.error().message, HasSubstr("\"lost\" cannot be determined"));
}

TEST(EmitChecksTest, DeclarationsAreC11) {
  const PrivateFolder folder = PrivateFolder::create("kmux-checks").value();
  const std::string use =
      "\nTVMFFISafeCallType call;\nint main(void) { TVMFFIAny none = {kTVMFFINone, 0, {0}}; return none.type_index; "
      "}\n";
  ASSERT_TRUE(folder.write("declarations.c", tvm_ffi_declarations() + use).ok());
  const Command command = Command{{find_host_compiler("", "the test").value(), "-x", "c", "-std=c11", "-Wall",
                                   "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", "declarations.c"},
                                  folder.path()};
  const ProcessResult result = run(command).value();
  EXPECT_EQ(result.exit_code, 0) << result.standard_error;
  EXPECT_THAT(tvm_ffi_declarations(), Not(HasSubstr("TVMFFIErrorSetRaisedFromCStr")));
}

}  // namespace
}  // namespace kmux
