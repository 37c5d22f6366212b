// Kernel arguments: scalars of every type, none, many.
#include <array>

#include "suite.h"

namespace kmux::suite {
namespace {

KMUX_DEVICE_SUITE(Arguments);

struct ScalarType {
  DType type;
  const char* cuda;
  double value;  // representable in the type
};

const std::array kScalarTypes = {
    ScalarType{dtype::kBool, "bool", 1},
    ScalarType{dtype::kInt8, "signed char", -128},
    ScalarType{dtype::kInt16, "short", -32768},
    ScalarType{dtype::kInt32, "int", -2147483648.0},
    ScalarType{dtype::kInt64, "long long", -9007199254740992.0},
    ScalarType{dtype::kUInt8, "unsigned char", 255},
    ScalarType{dtype::kUInt16, "unsigned short", 65535},
    ScalarType{dtype::kUInt32, "unsigned", 4294967295.0},
    ScalarType{dtype::kUInt64, "unsigned long long", 18446744073709549568.0},
    ScalarType{dtype::kFloat16, "__half", -1.5},
    ScalarType{dtype::kBFloat16, "__nv_bfloat16", 3.140625},
    ScalarType{dtype::kFloat32, "float", 0.1f},
    ScalarType{dtype::kFloat64, "double", 0.1},
    ScalarType{dtype::kFloat8E4M3FN, "__nv_fp8_e4m3", -0.875},
    ScalarType{dtype::kFloat8E5M2, "__nv_fp8_e5m2", 1.75},
};

// Types without a direct conversion to double convert through float.
constexpr const char* kScalarsHead = R"(#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
template <class T> __device__ double number(T value) { return (double)value; }
template <> __device__ double number(__half value) { return __half2float(value); }
template <> __device__ double number(__nv_bfloat16 value) { return __bfloat162float(value); }
template <> __device__ double number(__nv_fp8_e4m3 value) { return (float)value; }
template <> __device__ double number(__nv_fp8_e5m2 value) { return (float)value; }
)";

// Returns the value as a caller passes it.
Arg scalar(const ScalarType& type) {
  if (type.type == dtype::kBool) return Arg(type.value != 0);
  if (type.type == dtype::kUInt64) return Arg(static_cast<std::uint64_t>(type.value));
  if (is_integer(type.type)) return Arg(static_cast<std::int64_t>(type.value));
  return Arg(type.value);
}

TEST_P(Arguments, ScalarsOfEveryType) {
  ProgramBuilder builder("scalars");
  builder.output("out", dtype::kFloat64, {std::int64_t{kScalarTypes.size()}});
  std::string text = std::string(kScalarsHead) + "extern \"C\" __global__ void scalars(double* out";
  std::string body;
  std::vector<std::string> names;
  for (const ScalarType& type : kScalarTypes) {
    const std::string number = std::to_string(names.size());
    names.push_back("s" + number);
    builder.scalar(names.back(), type.type);
    text.append(", ").append(type.cuda).append(" s" + number);
    body += "  out[" + number + "] = number(s" + number + ");\n";
  }
  builder.variant("cuda").source("scalars.cu", text + ") {\n" + body + "}\n");
  LaunchBuilder launch = builder.launch("scalars").grid({1}).block({1}).args({"out"});
  for (const std::string& name : names) launch.args({name});
  const Kernel kernel = compiled(builder);
  const Tensor out = poisoned(kernel, {std::int64_t{kScalarTypes.size()}}, dtype::kFloat64);
  std::vector<Arg> args = {out};
  Numbers expected;
  for (const ScalarType& type : kScalarTypes) {
    args.push_back(scalar(type));
    expected.push_back(type.value);
  }
  kernel.launch(args).value();
  expect_numbers(out, expected);
}

TEST_P(Arguments, ValuesOfExpressions) {
  ProgramBuilder builder("values");
  builder.output("out", dtype::kInt64, {5});
  const Expr n = builder.scalar("n", dtype::kInt32);
  const Expr tile = Expr(64);
  builder.variant("cuda").source("values.cu", R"(
extern "C" __global__ void values(long long* out, int a, signed char b, unsigned short c, long long d, bool e) {
  out[0] = a, out[1] = b, out[2] = c, out[3] = d, out[4] = e;
})");
  const Expr tiles = builder.let("tiles", ceildiv(n, tile));
  builder.launch("values")
      .grid({1})
      .block({1})
      .args({"out"})
      .arg(n * 2 - 11)
      .arg(tiles - 3, dtype::kInt8)
      .arg(n * 8000, dtype::kUInt16)
      .arg(n * n * 1000000000000, dtype::kInt64)
      .arg(n > 4, dtype::kBool);
  const Kernel kernel = compiled(builder);
  const Tensor out = poisoned(kernel, {5}, dtype::kInt64);
  run(kernel, {out, 5});
  expect_numbers(out, {-1, -2, 40000, 25e12, 1});
}

TEST_P(Arguments, None) {
  ProgramBuilder builder("none");
  builder.output("out", dtype::kInt32, {1});
  builder.variant("cuda").source("none.cu", R"(
__device__ int state;
extern "C" __global__ void set() { state = 42; }
extern "C" __global__ void get(int* out) { *out = state; })");
  builder.launch("set").grid({1}).block({1});
  builder.launch("get").grid({1}).block({1}).args({"out"});
  const Kernel kernel = compiled(builder);
  const Tensor out = poisoned(kernel, {1}, dtype::kInt32);
  run(kernel, {out});
  expect_numbers(out, {42});
}

TEST_P(Arguments, Many) {
  constexpr int kCount = 250;
  ProgramBuilder builder("many");
  builder.output("out", dtype::kInt32, {1});
  std::string text = "extern \"C\" __global__ void many(int* out";
  std::string sum = "0";
  for (int i = 0; i < kCount; ++i) {
    const std::string name = "s" + std::to_string(i);
    builder.scalar(name, dtype::kInt32);
    text += ", int " + name;
    sum += " + " + std::to_string(i + 1) + " * " + name;
  }
  builder.variant("cuda").source("many.cu", text + ") { *out = " + sum + "; }\n");
  LaunchBuilder launch = builder.launch("many").grid({1}).block({1}).args({"out"});
  for (int i = 0; i < kCount; ++i) launch.args({"s" + std::to_string(i)});
  const Kernel kernel = compiled(builder);
  const Tensor out = poisoned(kernel, {1}, dtype::kInt32);
  std::vector<Arg> args = {out};
  int expected = 0;
  for (int i = 0; i < kCount; ++i) {
    args.emplace_back(i - 200);
    expected += (i + 1) * (i - 200);
  }
  kernel.launch(args).value();
  expect_numbers(out, {static_cast<double>(expected)});
}

TEST_P(Arguments, PointersAndOffsets) {
  ProgramBuilder builder("offsets");
  const Expr n = builder.symbol("n");
  builder.input("x", dtype::kInt32, {n}).pointer("y").variant("cuda").source("offsets.cu", R"(
extern "C" __global__ void offsets(const int* x, int* y) { y[threadIdx.x] = x[threadIdx.x]; })");
  builder.launch("offsets").grid({1}).block({floordiv(n, 2)}).arg(TensorArg{"x", floordiv(n, 2) * 4}).args({"y"});
  const Kernel kernel = compiled(builder);
  const Tensor x = uploaded(kernel, {64}, dtype::kInt32, counted(64));
  const Tensor y = poisoned(kernel, {32}, dtype::kInt32);
  run(kernel, {x, Arg::pointer(y.data())});
  expect_numbers(y, counted(32, 32));
}

}  // namespace
}  // namespace kmux::suite
