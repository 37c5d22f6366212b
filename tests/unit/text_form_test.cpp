// What the text form looks like: the examples of docs/text-form.md are canonical text, and comments survive `format_text`.
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>

#include "kmux/text.h"

namespace kmux {
namespace {

using testing::HasSubstr;

Result<std::string> any_file(const std::string& path) { return "content of " + path; }

Program read_program_text(std::string_view text) { return from_text({"program.kmux", text}, any_file).value(); }
std::string formatted(std::string_view text) { return format_text({"program.kmux", text}).value(); }

// The fenced block of the page that begins with "```" and `info`.
std::string block_of_page(const std::string& info) {
  std::ifstream file(KMUX_TEST_SOURCE_DIR "/docs/text-form.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}}, open = "```" + info + "\n";
  const std::size_t begin = page.find(open);
  if (begin == std::string::npos) return "no block " + info;
  const std::size_t content = begin + open.size();
  return page.substr(content, page.find("```\n", content) - content);
}

TEST(TextFormTest, DocumentationExampleIsCanonical) {
  const std::string text = block_of_page("kmux");
  EXPECT_EQ(to_text(read_program_text(text)), text);
  EXPECT_EQ(formatted(text), text);
}

TEST(TextFormTest, DocumentationSourceIsCanonical) {
  const std::string source = block_of_page("cpp saxpy.cu");
  const ProgramText text{"dir/saxpy.cu", source, "saxpy.cu"};
  const Program program = from_text(text, any_file).value();
  EXPECT_EQ(program.variants[0].dialect, "cuda");
  EXPECT_EQ(program.variants[0].sources, (std::vector<File>{{"saxpy.cu", source}}));
  EXPECT_EQ(format_text(text).value(), source);
}

// What the program of the page does not have.
TEST(TextFormTest, RoundTripsAllOtherFeatures) {
  const std::string text = R"(program all(
    a: f16[2, 3] strides [4, 1] align 32 nullable,
    b: f16[m, k, n],
    out c: f32[],
    p: pointer,
    s: bool,
    d: float8_e4m3fnx4[(q: i32) * 2 + 1],
    out map: f32[m])
  returns map, c
  constant weights: f32[3, 3]
  constant "filters::scale": f64 initialised
  dialect hip
  requires features "tma", "wgmma"
  sources "a.cu", "b.hip"
  headers "a.h"
  preludes "stdint.h"
  include_hints "tilelang"
  python_requires "x==1"
  compile_flags "-O3", "-DX=\"1 2\""
  fast_math
  let x = i32(m * 2) >> 1
  workspace work: 1024 bytes align 512
  map t: tiled f16 over b box [8, 8, 8] oob_fill nan
  map u: im2col tfloat32 over work offset 64 dims [64, 8, 8] strides_bytes [512, 4096] element_strides [1, 2, 1] lower_corner [-1] upper_corner [1] channels_per_pixel 8 pixels_per_column 32 interleave 32b swizzle 32b l2_promotion 256b
  for i in 0 .. m
    fill work offset 16: 32 bytes value 255
    launch k<T*, 4><<<[m, 2, 3], [], 16>>>(map t, map u, work offset 8, s, s: i64, map, x + i)
)";
  const Program program = read_program_text(text);
  EXPECT_EQ(to_text(program), text);
  EXPECT_EQ(program.signature.outputs, (std::vector<std::string>{"map", "c"}));
  EXPECT_EQ(program.signature.symbols, (std::vector<Symbol>{{"m"}, {"k"}, {"n"}, {"q", dtype::kInt32}}));
  const Body& body = program.variants[0].body;
  const Expr n = Expr::symbol("n"), k = Expr::symbol("k"), m = Expr::symbol("m");
  EXPECT_EQ(body.tensor_maps[0].dims, (std::vector<Expr>{n, k, m}));
  EXPECT_EQ(body.tensor_maps[0].strides_bytes, (std::vector<Expr>{n * 2, k * (n * 2)}));
  const For& loop = std::get<For>(body.steps[0]);
  EXPECT_EQ(std::get<Fill>(loop.steps[0]), (Fill{{"work", 16}, 32, 255}));
  const Launch& launch = std::get<Launch>(loop.steps[1]);
  EXPECT_EQ(launch.kernel, "k<T*, 4>");
  EXPECT_EQ(launch.block, Extents{});
  const std::vector<LaunchArg> args{TensorMapArg{"t"},
                                    TensorMapArg{"u"},
                                    WorkspaceArg{"work", 8},
                                    ScalarArg{"s"},
                                    ExprArg{Expr::symbol("s"), dtype::kInt64},
                                    TensorArg{"map"},
                                    ExprArg{Expr::symbol("x") + Expr::symbol("i")}};
  EXPECT_EQ(launch.args, args);
}

TEST(TextFormTest, RoundTripsStructures) {
  const std::string text = R"(kernel k(x: f32[n], s: f32, p: pointer)
  sources "k.cu"
  launch k<<<1, 1>>>({x, n + 1, n: i64}, {s, s, s, s} align 16, {{p offset 8, 1: u8}, {2}}, n)
)";
  const Program program = read_program_text(text);
  EXPECT_EQ(to_text(program), text);
  const Expr n = Expr::symbol("n");
  const LaunchArg s = ScalarArg{"s"};
  const std::vector<LaunchArg> args{
      StructArg{{TensorArg{"x"}, ExprArg{n + 1}, ExprArg{n, dtype::kInt64}}}, StructArg{{s, s, s, s}, 16},
      StructArg{{StructArg{{TensorArg{"p", 8}, ExprArg{1, dtype::kUInt8}}}, StructArg{{ExprArg{2}}}}}, ExprArg{n}};
  EXPECT_EQ(std::get<Launch>(program.variants[0].body.steps[0]).args, args);
  EXPECT_EQ(from_json(to_json(program), any_file).value(), program);
}

// The programs that the form was designed by: as people write them, in canonical form, and as JSON.
TEST(TextFormTest, FormatsSaxpyAndTwoPassSoftmax) {
  const auto check = [](const std::string& written, const std::string& canonical) {
    const Program program = read_program_text(written);
    EXPECT_EQ(to_text(program), canonical);
    EXPECT_EQ(formatted(written), canonical);
    EXPECT_EQ(formatted(canonical), canonical);
    EXPECT_EQ(read_program_text(canonical), program);
    EXPECT_EQ(from_json(to_json(program), any_file).value(), program);
  };
  check(R"(kernel saxpy(a: f32, x: f32[n], y: inout f32[n])
  sources "saxpy.cu"
  assert n > 0, "nothing to do"
  launch saxpy<<<ceildiv(n, 256), 256>>>(a, x, y, n)
)",
        R"(kernel saxpy(a: f32, x: f32[n], inout y: f32[n])
  sources "saxpy.cu"
  assert n > 0, "nothing to do"
  launch saxpy<<<ceildiv(n, 256), 256>>>(a, x, y, n)
)");
  const std::string softmax = R"(program softmax_two_pass(x: f16[m, n], out y: f16[m, n])
  sources "softmax.cu"
  workspace sums: 4 * m bytes
  map tx: tiled f16 over x box [64, 8] swizzle 128b
  launch row_sums<<<m, 256, 256 * 4>>>(map tx, sums) cluster 2 cooperative
  if n > 1024
    launch scale<<<[ceildiv(n, 64), m], [64, 4]>>>(x, sums, y, n: i64)
  for step in 0 .. 4
    launch refine<<<m, 256>>>(y, sums, step)
)";
  std::string written = softmax;
  const auto replace = [&](const std::string& from, const std::string& to) {
    written.replace(written.find(from), from.size(), to);
  };
  replace("256 * 4", "256*4");
  replace("cluster 2", "cluster [2]");
  replace("4 * m bytes", "4 * m bytes align 256");
  check(written, softmax);
  check(softmax, softmax);
}

// What people may write, and what it is in canonical form.
TEST(TextFormTest, NormalizesAlternativeSpellings) {
  EXPECT_EQ(formatted(R"(program k(y: inout float32[n], z: out half[(n)])
      sources "k.cu"
      launch "k"<<<[n], [ 256 ], 0>>>(
 y,
        z, -n) cluster [2] programmatic_serialization cooperative
)"),
            R"(kernel k(inout y: f32[n], out z: f16[n])
  sources "k.cu"
  launch k<<<n, 256>>>(y, z, 0 - n) cluster 2 cooperative programmatic_serialization
)");
}

TEST(TextFormTest, ParsesConstants) {
  const Program program = read_program_text(
      "kernel k(x: f32[n])\n  sources \"k.cu\"\n  constant w: f32[3, 4] initialised\n  constant \"a::b\": i8\n  launch "
      "k(x)\n");
  EXPECT_EQ(program.constants, (std::vector<Constant>{{"w", dtype::kFloat32, {3, 4}, true}, {"a::b", dtype::kInt8}}));
}

TEST(TextFormTest, PrintsShortestNumbers) {
  Program program =
      read_program_text("kernel k(x: f32[n], a: f32, b: f32, c: f64, d: f64)\n  sources \"k.cu\"\n  launch k()\n");
  program.metadata.scalars = {{"a", 50}, {"b", -0.0}, {"c", 1e300}, {"d", 0.1}};
  EXPECT_THAT(to_text(program), HasSubstr("  example a = 50, b = -0, c = 1e+300, d = 0.1\n"));
  EXPECT_EQ(to_json(read_program_text(to_text(program))), to_json(program));
}

TEST(TextFormTest, WrapsLongLines) {
  std::string text = "kernel k(x: f32[n])\n  sources \"k.cu\"\n  launch k<<<n, 1>>>(x";
  for (int i = 0; i < 40; ++i) text += ", n + " + std::to_string(i);
  const std::string canonical = formatted(text + ")\n");
  for (std::size_t begin = 0, end = 0; begin < canonical.size(); begin = end + 1) {
    end = canonical.find('\n', begin);
    EXPECT_LE(end - begin, 115U);
  }
  EXPECT_EQ(formatted(canonical), canonical);
}

TEST(TextFormTest, KeepsComments) {
  const std::string text = R"(# Above all.
# Two lines.
kernel k(x: f32[n])  # behind the head
  # about the sources
  sources "k.cu"
  let a = n * 2  # a let
  # the launch, with a "string" and a # within
  launch k<<<a, 1>>>(x)
# at the end
)";
  EXPECT_EQ(formatted(text), text);
  const std::string of_others = R"(kernel k(x: f32[n])
  dialect opencl
  sources "k.cl"
  launch k<<<n, 1>>>(x)
)";
  EXPECT_EQ(formatted(of_others), of_others);
  EXPECT_EQ(formatted(R"(kernel k(x: f32[n])
  dialect cuda  # known from the name
  sources "k.cu"
  launch k<<<n, 1>>>(
    # the input
    x)
)"),
            R"(kernel k(x: f32[n])
  sources "k.cu"
  # the input
  launch k<<<n, 1>>>(x)
# known from the name
)");
}

TEST(TextFormTest, FormatsOnlyProgramCommentOfSource) {
  const std::string before = "#!/usr/bin/env python3\r\nimport x\n    #! kmux\n";
  const std::string after = "    def kernel():\n  #! no longer in it\n";
  const std::string source =
      before + "    #!kernel  k( x:f32 [n] )\n    #!  # a comment\n    #!    launch k<<<n,1>>>(x)\n" + after;
  const ProgramText text{"k.py", source, "k.py"};
  EXPECT_EQ(from_text(text, any_file).value().variants[0].dialect, "cutedsl");
  EXPECT_EQ(format_text(text).value(), before +
                                           "    #! kernel k(x: f32[n])\n    #!   # a comment\n"
                                           "    #!   launch k<<<n, 1>>>(x)\n" +
                                           after);
}

TEST(TextFormTest, KeepsByteOrderMarkAndLineEndingOfFile) {
  const std::string mark = "\xef\xbb\xbf", text = "kernel k(x: f32[n])\n  sources \"k.cu\"\n  launch k<<<n, 1>>>(x)\n";
  const std::string lines = "kernel k(x: f32[n])\r\n  sources \"k.cu\"\r\n  launch k<<<n, 1>>>(x)\r\n";
  for (const std::string& canonical : {mark + text, mark + lines, lines}) EXPECT_EQ(formatted(canonical), canonical);
  EXPECT_EQ(formatted("kernel  k(x: f32[n])\r\n  sources \"k.cu\"\n\n  launch k<<<n,1>>>(x)\n"), lines);
  EXPECT_EQ(formatted("kernel  k(x: f32[n])\n  sources \"k.cu\"\r\n\n  launch k<<<n,1>>>(x)\r\n"), text);
  EXPECT_EQ(read_program_text(mark + lines), read_program_text(text));
}

TEST(TextFormTest, KeepsByteOrderMarkAndLineEndingOfSource) {
  const std::string source =
      "\xef\xbb\xbf//! kmux\r\n//! kernel k(x: f32[n])\r\n//!   launch k<<<n, 1>>>(x)\r\n"
      "__global__ void k(float* x) {}\r\n";
  const ProgramText text{"k.cu", source, "k.cu"};
  EXPECT_EQ(format_text(text).value(), source);
  EXPECT_EQ(from_text(text, any_file).value().variants[0].sources, (std::vector<File>{{"k.cu", source}}));
}

TEST(TextFormTest, IsDetectedByNameOrComment) {
  const auto is_source = [](const char* path, const char* content) {
    const auto text = text_in_file(path, content);
    return text ? (text->source_path.empty() ? "text" : text->source_path) : "JSON";
  };
  EXPECT_EQ(is_source("dir/a.kmux.json", "//! kmux\n"), "JSON");
  EXPECT_EQ(is_source("dir/a.kmux", "{"), "text");
  EXPECT_EQ(is_source("dir/a.cu", "int x;"), "a.cu");
  EXPECT_EQ(is_source("dir/a.txt", "int x;\n  //! kmux\n"), "a.txt");
  EXPECT_EQ(is_source("dir/a.txt", "int x;\n//! kmux is here\n"), "JSON");
}

}  // namespace
}  // namespace kmux
