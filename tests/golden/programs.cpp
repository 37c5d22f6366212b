#include "programs.h"

#include "kmux/builder.h"

namespace kmux::test {
namespace {

// Returns a program with inputs A and B and output C of `n` floats, and one empty source.
ProgramBuilder begin(const std::string& name, const Expr& n) {
  ProgramBuilder program(name);
  program.input("A", dtype::kFloat32, {n}).input("B", dtype::kFloat32, {n}).output("C", dtype::kFloat32, {n});
  program.variant("cuda").source(name + ".cu", "");
  return program;
}

// The same over a symbol.
struct Dynamic {
  explicit Dynamic(const std::string& name) : program(name), n(program.symbol("n")) {
    program.input("A", dtype::kFloat32, {n}).output("C", dtype::kFloat32, {n});
    program.variant("cuda").source(name + ".cu", "");
  }
  Program build() const { return program.build().value(); }
  ProgramBuilder program;
  Expr n;
};

Program static_add() {
  ProgramBuilder program = begin("static_add", 4096);
  program.launch("add").grid({32}).block({128}).args({"A", "B", "C"});
  return program.build().value();
}

Program dynamic_shape() {
  Dynamic dynamic("dynamic_shape");
  const Expr n = dynamic.n;
  dynamic.program.launch("copy").grid({ceildiv(n, 128)}).block({128}).args({"A", "C"}).arg(n);
  return dynamic.build();
}

Program two_kernels() {
  ProgramBuilder program = begin("two_kernels", 1024);
  program.launch("scale").grid({8}).block({128}).args({"A", "C"});
  program.launch("add").grid({4, 2}).block({32, 4}).dynamic_smem_bytes(49152).args({"C", "B", "C"});
  return program.build().value();
}

Program repeated_kernel() {
  ProgramBuilder program = begin("repeated_kernel", 1024);
  program.launch("step").grid({8}).block({128}).args({"A", "C"}).arg(0);
  program.launch("step").grid({8}).block({128}).args({"B", "C"}).arg(1);
  return program.build().value();
}

Program guard() {
  Dynamic dynamic("guard");
  const Expr n = dynamic.n;
  dynamic.program.body().when(
      n >= 4096, [](BodyBuilder& then) { then.launch("large").grid({64}).block({256}).args({"A", "C"}); },
      [](BodyBuilder& otherwise) { otherwise.launch("small").grid({1}).block({32}).args({"A", "C"}); });
  return dynamic.build();
}

Program loop() {
  Dynamic dynamic("loop");
  dynamic.program.body().loop("i", 0, dynamic.n - 1, [](BodyBuilder& body, const Expr& i) {
    body.launch("row").grid({8}).block({128}).arg(TensorArg{"A", i * 512}).args({"C"}).arg(i);
  });
  return dynamic.build();
}

Program loop_in_guard() {
  Dynamic dynamic("loop_in_guard");
  const Expr n = dynamic.n;
  dynamic.program.body().when(eq(floormod(n, 64), 0), [&](BodyBuilder& then) {
    then.loop("i", 0, 4, [&](BodyBuilder& outer, const Expr& i) {
      outer.loop("j", i, floordiv(n, 64), [&](BodyBuilder& inner, const Expr& j) {
        inner.when(i < j,
                   [&](BodyBuilder& body) { body.launch("tile").grid({8}).block({128}).args({"A"}).arg(i).arg(j); });
      });
    });
  });
  return dynamic.build();
}

Program structures() {
  Dynamic dynamic("structures");
  const Expr n = dynamic.n;
  dynamic.program.scalar("s", dtype::kFloat32);
  dynamic.program.scalar("h", dtype::kFloat16);
  const LaunchArg s = ScalarArg{"s"}, h = ScalarArg{"h"}, a = TensorArg{"A", 16};
  const StructArg inner{{ExprArg{n + 1}, ExprArg{3, dtype::kUInt8}}};
  dynamic.program.launch("dims").grid({8}).block({128}).arg(StructArg{{ExprArg{n}, ExprArg{4}}}).args({"C"});
  dynamic.program.launch("vector").grid({8}).block({128}).arg(StructArg{{s, s, s, s}, 16}).args({"C"});
  dynamic.program.launch("view").grid({8}).block({128}).args({"C"}).arg(StructArg{{inner, h, a, inner}});
  return dynamic.build();
}

Program workspace() {
  Dynamic dynamic("workspace");
  const Expr n = dynamic.n;
  dynamic.program.workspace("partial", ceildiv(n, 256) * 4).workspace("flags", 64, 16);
  dynamic.program.launch("reduce").grid({ceildiv(n, 256)}).block({256}).args({"A", "partial", "flags"});
  dynamic.program.launch("finish").grid({1}).block({256}).arg(WorkspaceArg{"partial", 16}).args({"C"});
  return dynamic.build();
}

Program aligned_workspace() {
  Dynamic dynamic("aligned_workspace");
  const Expr n = dynamic.n;
  dynamic.program.workspace("pages", n * 4, 65536).workspace("line", 64, 16).workspace("page", n, 4096);
  dynamic.program.launch("reduce").grid({1}).block({256}).args({"A", "pages", "line", "page", "C"});
  return dynamic.build();
}

TensorMap tiled(const std::string& name, const std::string& base, const Expr& rows) {
  TensorMap map;
  map.name = name;
  map.dtype = TensorMapDType::kFloat16;
  map.base.name = base;
  map.dims = {64, rows};
  map.strides_bytes = {128};
  map.mode = TiledMap{{64, 64}};
  map.swizzle = Swizzle::k128B;
  map.l2_promotion = L2Promotion::k128B;
  return map;
}

Program tiled_map() {
  ProgramBuilder program("tiled_map");
  const Expr n = program.symbol("n");
  program.input("A", dtype::kFloat16, {n, 64}).output("C", dtype::kFloat16, {n, 64});
  program.variant("cuda").source("tiled_map.cu", "");
  program.workspace("w", n * 128);
  program.tensor_map(tiled("A_load", "A", n)).tensor_map(tiled("A_again", "A", n)).tensor_map(tiled("W", "w", n));
  program.launch("load").grid({ceildiv(n, 64)}).block({128}).dynamic_smem_bytes(16384).args({"A_load", "A_again", "W"});
  program.launch("store").grid({ceildiv(n, 64)}).block({128}).args({"W", "C"});
  return program.build().value();
}

Program im2col_map() {
  ProgramBuilder program("im2col_map");
  const Expr n = program.symbol("n");
  program.input("X", dtype::kFloat16, {n, 32, 32, 64}).output("Y", dtype::kFloat16, {n, 32, 32, 64});
  program.variant("cuda").source("im2col_map.cu", "");
  TensorMap map;
  map.name = "X_columns";
  map.dtype = TensorMapDType::kFloat16;
  map.base = {"X", 256};
  map.dims = {64, 32, 32, n};
  map.strides_bytes = {128, 4096, 131072};
  map.element_strides = {1, 2, 2, 1};
  map.mode = Im2colMap{{-1, -1}, {-1, -1}, 64, 128};
  map.swizzle = Swizzle::k128B;
  map.oob_fill = OobFill::kNan;
  program.tensor_map(map);
  program.launch("conv").grid({n * 8}).block({128}).args({"X_columns", "Y"});
  return program.build().value();
}

Program launch_attributes() {
  Dynamic dynamic("launch_attributes");
  const Expr n = dynamic.n;
  dynamic.program.launch("first").grid({ceildiv(n, 128), 4, 2}).block({128}).cluster({2, 2, 1}).args({"A", "C"});
  dynamic.program.launch("second")
      .grid({min(n, 132)})
      .block({256})
      .dynamic_smem_bytes(n * 4)
      .cooperative()
      .programmatic_serialization()
      .l2_window("A", n * 4, 0.75)
      .l2_window("C", 65536)
      .args({"A", "C"});
  return dynamic.build();
}

Program lets_and_asserts() {
  ProgramBuilder program("lets_and_asserts");
  const Expr n = program.symbol("n");
  program.input("A", dtype::kFloat32, {n}).output("C", dtype::kFloat32, {n});
  const Expr shift = program.scalar("shift", dtype::kInt32);
  program.variant("cuda").source("lets_and_asserts.cu", "");
  const Expr tile = program.let("tile", Expr(2) * 64);
  const Expr low = program.let("low", floordiv(shift, tile));
  const Expr rest = program.let("rest", floormod(shift - 1, -3));
  program.check(low >= -8, "shift is too small (below -1024). Pass a larger one.");
  program.check(logical_or(eq(n, 0), floordiv(100, n) < 7), "n is \"bad\"");
  program.launch("roll").grid({ceildiv(n, tile)}).block({tile}).args({"A", "C"}).arg(low).arg(rest, dtype::kInt64);
  return program.build().value();
}

Program scalars() {
  ProgramBuilder program("scalars");
  program.output("C", dtype::kFloat32, {1});
  std::vector<std::string> names;
  for (const DType type :
       {dtype::kBool, dtype::kInt8, dtype::kInt16, dtype::kInt32, dtype::kInt64, dtype::kUInt8, dtype::kUInt16,
        dtype::kUInt32, dtype::kUInt64, dtype::kFloat16, dtype::kBFloat16, dtype::kFloat32, dtype::kFloat64,
        dtype::kFloat8E4M3, dtype::kFloat8E4M3FN, dtype::kFloat8E4M3FNUZ, dtype::kFloat8E5M2, dtype::kFloat8E5M2FNUZ}) {
    names.push_back("s_" + to_string(type));
    program.scalar(names.back(), type);
  }
  program.pointer("raw");
  program.variant("cuda").source("scalars.cu", "");
  LaunchBuilder launch = program.launch("all").grid({1}).block({1}).args({"C", "raw"});
  for (const std::string& name : names) launch.args({name});
  launch.arg(Expr::symbol("s_uint64"), dtype::kUInt64).arg(Expr::symbol("s_int8") + 1, dtype::kInt8);
  launch.arg(Expr::symbol("s_bool"), dtype::kBool).arg(Expr::symbol("s_uint16"));
  return program.build().value();
}

Program fill() {
  Dynamic dynamic("fill");
  const Expr n = dynamic.n;
  dynamic.program.workspace("w", n);
  dynamic.program.body().fill("C", n * 4).fill("w", 16, 255);
  dynamic.program.launch("accumulate").grid({8}).block({128}).args({"A", "w", "C"});
  return dynamic.build();
}

// Fills whose bounds only a call can check: before the first step, and in a guard and a loop at their step.
Program bounded_fills() {
  ProgramBuilder program("bounded_fills");
  const Expr n = program.symbol("n");
  const Expr pitch = program.symbol("pitch");
  program.buffer("S", {.dtype = dtype::kFloat32, .shape = {n, 8}, .strides = std::vector<Expr>{pitch, 1}});
  program.buffer("Q", {.dtype = DType{kDLInt, 4, 1}, .shape = {n}});
  const Expr s = program.scalar("s", dtype::kInt32);
  program.pointer("p");
  program.variant("cuda").source("bounded_fills.cu", "");
  program.workspace("w", n * 2);
  program.body().fill("S", 160).fill("w", s).fill("p", s + 1);
  program.launch("accumulate").grid({8}).block({128}).args({"S", "Q", "w"});
  program.body()
      .when(n > 100, [&](BodyBuilder& then) { then.fill("Q", ceildiv(n, 2)).fill("Q", n - 60, 1); })
      .loop("i", 0, 3, [&](BodyBuilder& body, const Expr& i) { body.fill("w", i * s, 2); });
  Program built = program.build().value();
  built.variants[0].body.steps.insert(built.variants[0].body.steps.begin(), Fill{{"S", s}, n * 4, 3});
  return built;
}

Program name_expressions() {
  ProgramBuilder program = begin("name_expressions", 256);
  program.launch("kern<float, 4>").grid({2}).block({128}).args({"A", "C"});
  program.launch("ns::kern").grid({0}).block({128}).args({"B", "C"});
  return program.build().value();
}

// Kernels that have the names of what generated code declares.
Program names_of_kernels() {
  Dynamic dynamic("names_of_kernels");
  const Expr s = dynamic.program.scalar("s", dtype::kInt32);
  const Expr t = dynamic.program.let("t", ceildiv(dynamic.n, 128));
  dynamic.program.workspace("w", 16);
  for (const char* const name : {"s", "n", "t", "w", "A"}) {
    dynamic.program.launch(name).grid({t}).block({128}).args({"A", "w", "s"}).arg(s).arg(dynamic.n);
  }
  dynamic.program.body().loop(
      "i", 0, 2, [](BodyBuilder& body, const Expr& i) { body.launch("i").grid({1}).block({128}).args({"C"}).arg(i); });
  return dynamic.build();
}

}  // namespace

std::vector<Program> golden_programs() {
  return {static_add(),    dynamic_shape(), two_kernels(),       repeated_kernel(),
          guard(),         loop(),          loop_in_guard(),     workspace(),
          tiled_map(),     im2col_map(),    launch_attributes(), lets_and_asserts(),
          scalars(),       fill(),          name_expressions(),  aligned_workspace(),
          bounded_fills(), structures(),    names_of_kernels()};
}

}  // namespace kmux::test
