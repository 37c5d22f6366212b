// Matrices of warps in CUDA kernels: mma, ldmatrix, stmatrix, movmatrix. Their values are tested in plugins/simt/tests;
// here, operands reach them, and threads come together for them.
#include "matrix_kernels.h"

namespace kmux::cpu {
namespace {

/// A product within a kernel, whose lanes have their registers one after another: of A, B and sums.
struct ProductCase {
  MatrixProduct product;
  std::string mnemonic;

  unsigned of_a() const { return lane_registers(product.a, product.m * product.k); }
  unsigned of_b() const { return lane_registers(product.b, product.k * product.n); }
  unsigned of_sums() const { return lane_registers(product.d, product.m * product.n); }
  unsigned words_of_register() const { return register_bits(product.a) / 32; }
  unsigned words() const { return (of_a() + of_b() + of_sums()) * words_of_register(); }

  std::string statement(std::size_t offset, std::size_t offset_of_y) const {
    const std::string type = words_of_register() == 2 ? "double" : "unsigned", letter = type == "double" ? "d" : "r";
    const unsigned a = of_sums(), b = a + of_a();
    return "  {\n    const " + type + "* const all = (const " + type + "*)(x + " + std::to_string(offset) +
           ") + lane * " + std::to_string(of_a() + of_b() + of_sums()) + ";\n    " + type + " d[" +
           std::to_string(of_sums()) + "];\n    const " + type + " *const a = all, *const b = all + " +
           std::to_string(of_a()) + ", *const c = b + " + std::to_string(of_b()) + ";\n    for (int i = 0; i < " +
           std::to_string(of_sums()) + "; ++i) d[i] = c[i];\n    asm volatile(\"" + mnemonic + " " +
           braced(0, of_sums()) + ", " + braced(a, of_a()) + ", " + braced(b, of_b()) + ", " + braced(0, of_sums()) +
           ";\" : " + listed("+" + letter, "d", of_sums()) + " : " + listed(letter, "a", of_a()) + ", " +
           listed(letter, "b", of_b()) + ");\n    for (int i = 0; i < " + std::to_string(of_sums()) + "; ++i) ((" +
           type + "*)(y + " + std::to_string(offset_of_y) + "))[lane * " + std::to_string(of_sums()) +
           " + i] = d[i];\n  }\n";
  }
};

std::vector<ProductCase> all_products() {
  std::vector<ProductCase> all;
  for (const isa::Form& form : isa::forms()) {
    for (const auto& [a, b] : form.types) {
      for (const MatrixType sums : isa::sums_of(a)) {
        const MatrixProduct product = isa::described(form.m, form.n, form.k, a, b, sums);
        const std::string shape = "mma.sync.aligned." + shape_of(form.m, form.n, form.k) + ".row.col";
        const std::string types =
            "." + part_of_type(sums) + "." + part_of_type(a) + "." + part_of_type(b) + "." + part_of_type(sums);
        if (a == MatrixType::kB1) {
          all.push_back({product, shape + types + ".and.popc"});
          all.push_back({product, shape + types + ".xor.popc"});
          all.back().product.is_xor = true;
        } else {
          all.push_back({product, shape + types});
        }
        if (a != MatrixType::kB1 && is_integer(a)) {
          all.push_back({product, shape + ".satfinite" + types});
          all.back().product.is_saturated = true;
        }
      }
    }
  }
  return all;
}

/// Random registers of whole numbers for all lanes of a product.
std::vector<u32> random_registers(const ProductCase& one, std::mt19937& random) {
  std::vector<u32> words;
  for (int lane = 0; lane < 32; ++lane) {
    for (const auto& [type, registers] : {std::pair{one.product.a, one.of_a()}, std::pair{one.product.b, one.of_b()},
                                          std::pair{one.product.c, one.of_sums()}}) {
      std::vector<std::uint8_t> bytes(registers * register_bits(type) / 8);
      for (std::size_t i = 0; i < bytes.size() * 8 / element_bits(type); ++i) {
        const int number =
            static_cast<int>(random() % 8) - (type == MatrixType::kU4 || type == MatrixType::kU8 ? 0 : 4);
        isa::put(bytes, type, i, type == MatrixType::kB1 ? random() : isa::encode(type, number));
      }
      const std::size_t begin = words.size();
      words.resize(begin + bytes.size() / 4);
      std::memcpy(&words[begin], bytes.data(), bytes.size());
    }
  }
  return words;
}

// Returns the registers of sums that the unit itself computes.
std::vector<u32> expected_sums(const ProductCase& one, std::vector<u32> registers) {
  std::vector<simt::ProductOperands> operands;
  const unsigned words = one.words_of_register();
  for (unsigned lane = 0; lane < 32; ++lane) {
    u32* const a = &registers[lane * one.words()];
    u32* const b = a + one.of_a() * words;
    operands.push_back({&one.product, b + one.of_b() * words, a, b});
  }
  std::vector<const simt::ProductOperands*> lanes;
  for (const auto& each : operands) lanes.push_back(&each);
  simt::multiply_warp(lanes, 0, {});
  std::vector<u32> sums;
  for (const auto& each : operands) {
    const u32* const begin = static_cast<const u32*>(each.sums);
    sums.insert(sums.end(), begin, begin + one.of_sums() * words);
  }
  return sums;
}

TEST(DeviceMatricesTest, MultipliesByEachFormOfMma) {
  std::mt19937 random(1);
  std::string body;
  std::vector<u32> x, expected;
  for (const ProductCase& one : all_products()) {
    if (x.size() % 2 != 0) x.push_back(0);
    body += one.statement(x.size(), expected.size());
    const std::vector<u32> registers = random_registers(one, random);
    x.insert(x.end(), registers.begin(), registers.end());
    const std::vector<u32> sums = expected_sums(one, registers);
    expected.insert(expected.end(), sums.begin(), sums.end());
  }
  const std::string source =
      "__global__ void k(const unsigned* x, unsigned* y, int n) {\n  const unsigned lane = threadIdx.x;\n" + body +
      "}\n";
  EXPECT_EQ(words_of({source}, x, expected.size()), expected);
}

// Four warps have 16 rows each. Rows in shared memory are padded to 72 elements.
constexpr const char* kMmaProduct = R"(
__global__ void k(const unsigned* x, unsigned* y, int n) {
  __shared__ __align__(16) unsigned short a[64 * 72], b[64 * 72];
  const unsigned short* const halves = (const unsigned short*)x;
  for (int i = threadIdx.x; i < 4096; i += 128) {
    a[i / 64 * 72 + i % 64] = halves[i];
    b[i / 64 * 72 + i % 64] = halves[4096 + i];
  }
  __syncthreads();
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float sums[8][4] = {};
  for (int k = 0; k < 64; k += 16) {
    unsigned of_a[4];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(of_a[0]), "=r"(of_a[1]), "=r"(of_a[2]), "=r"(of_a[3])
                 : "r"(place(a + (16 * warp + lane % 16) * 72 + k + lane / 16 * 8)));
    for (int j = 0; j < 8; ++j) {
      unsigned of_b[2];
      asm volatile("ldmatrix.sync.aligned.x2.trans.m8n8.shared.b16 {%0, %1}, [%2];"
                   : "=r"(of_b[0]), "=r"(of_b[1]) : "l"(b + (k + lane % 16) * 72 + 8 * j));
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                   : "+f"(sums[j][0]), "+f"(sums[j][1]), "+f"(sums[j][2]), "+f"(sums[j][3])
                   : "r"(of_a[0]), "r"(of_a[1]), "r"(of_a[2]), "r"(of_a[3]), "r"(of_b[0]), "r"(of_b[1]));
    }
  }
  for (int j = 0; j < 8; ++j)
    for (int i = 0; i < 4; ++i)
      ((float*)y)[(16 * warp + lane / 4 + i / 2 * 8) * 64 + 8 * j + lane % 4 * 2 + i % 2] = sums[j][i];
})";

TEST(DeviceMatricesTest, MultipliesTilesByMma) {
  const SquareProduct square;
  EXPECT_EQ(words_of({kPlace + std::string(kMmaProduct), 128}, square.x, 4096), square.expected);
}

TEST(DeviceMatricesTest, StoresAndLoadsMatrices) {
  // Lane l has elements (l / 4, 2 (l % 4)) and the next of each matrix, and of its transpose with ".trans".
  const std::string source = std::string(kPlace) + R"(__global__ void k(const unsigned* x, unsigned* y, int n) {
  __shared__ __align__(16) unsigned tile[128], other[128];
  const unsigned lane = threadIdx.x, row = lane * 4;
  unsigned r[4];
  for (int i = 0; i < 4; ++i) r[i] = x[i * 32 + lane];
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" :: "r"(place(tile + row)), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]) : "memory");
  asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared::cta.b16 [%0 + 256], {%1, %2};" :: "r"(place(other + row % 64)), "r"(r[0]), "r"(r[1]) : "memory");
  asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.b16 [%0], {%1};" :: "l"(other + row % 64), "r"(r[2]) : "memory");
  if (lane < 8) other[32 + row] = other[33 + row] = other[34 + row] = other[35 + row] = 0;
  __syncwarp();
  unsigned a, b, c;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(a) : "r"(place(tile + 32 + row % 32)));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.b16 {%0, %1}, [%2];" : "=r"(b), "=r"(c) : "l"(tile + 64 + row % 64));
  unsigned turned;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(turned) : "r"(r[3]));
  for (int i = 0; i < 4; ++i) y[i * 32 + lane] = tile[i * 32 + lane], y[128 + i * 32 + lane] = other[i * 32 + lane];
  y[256 + lane] = a, y[288 + lane] = b, y[320 + lane] = c, y[352 + lane] = turned;
})";
  std::vector<u32> x(128), expected(384);
  for (u32 i = 0; i < 128; ++i) x[i] = 2 * i | (2 * i + 1) << 16;  // each half has its own number
  // In a matrix of 8 by 8 halves in rows, half 8 r + c is number 8 r + c of its 32 words; transposed, number 8 c + r.
  const auto transposed = [](u32 matrix, u32 word) {
    const auto half = [&](u32 i) { return 64 * matrix + i % 8 * 8 + i / 8; };
    return half(2 * word) | half(2 * word + 1) << 16;
  };
  for (u32 i = 0; i < 32; ++i) {
    for (u32 matrix = 0; matrix < 4; ++matrix) expected[32 * matrix + i] = x[32 * matrix + i];
    expected[128 + i] = transposed(2, i);
    expected[192 + i] = transposed(0, i);
    expected[224 + i] = transposed(1, i);
    expected[256 + i] = transposed(1, i);
    expected[288 + i] = x[64 + i];
    expected[320 + i] = x[96 + i];
    expected[352 + i] = transposed(3, i);
  }
  EXPECT_EQ(words_of({source}, x, 384), expected);
}

TEST(DeviceMatricesTest, LogTellsThatThreadsRunAlone) {
  Workbench& bench = common_bench();
  const std::string source =
      "__global__ void k(const unsigned* x, unsigned* y, int n) {\n  unsigned d;\n"
      "  asm volatile(\"movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;\" : \"=r\"(d) : \"r\"(threadIdx.x));\n"
      "  y[threadIdx.x] = d;\n}";
  ASSERT_TRUE(BlockKernel{source}({0}, 32).ok());
  EXPECT_THAT(bench.host.log, HasSubstr("uses \"movmatrix\" of a GPU"));
}

constexpr const char* kMma =
    "asm volatile(\"mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0, %1}, {%2}, {%3}, {%0, %1};\" : \"+r\"(d[0]), "
    "\"+r\"(d[1]) : \"r\"(d[2]), \"r\"(d[3]));";
constexpr const char* kLoad =
    "asm volatile(\"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];\" : \"=r\"(d[0]) : \"r\"(";

TEST(DeviceMatricesTest, LanesThatDoNotComeAreReported) {
  EXPECT_EQ(matrix_failure(std::string("  if (threadIdx.x < 20) ") + kMma),
            "only 20 of the 32 lanes of a warp execute \"mma.sync\" (block (0, 0, 0), thread (0, 0, 0)). Execute it in "
            "full warps that have not diverged.");
  EXPECT_THAT(matrix_failure(kMma, 40),
              HasSubstr("only 8 of the 32 lanes of a warp execute \"mma.sync\" (block (0, 0, 0), "
                        "thread (32, 0, 0))"));
  EXPECT_THAT(
      matrix_failure(std::string("  if (threadIdx.x < 16) ") + kMma + " else " + replaced(kMma, "s8.s8", "u8.u8")),
      HasSubstr("lanes of a warp execute different forms of \"mma.sync\" at the same time"));
  EXPECT_THAT(matrix_failure("  if (threadIdx.x % 2) return;\n" + std::string(kLoad) + "place(tile)));"),
              HasSubstr("only 16 of the 32 lanes of a warp execute \"ldmatrix\""));
}

TEST(DeviceMatricesTest, RowsOutsideOfSharedMemoryAreReported) {
  EXPECT_EQ(matrix_failure(std::string(kLoad) + "place(tile) + 8));"),
            "a row of a matrix is not aligned to 16 bytes (ldmatrix, block (0, 0, 0), thread (0, 0, 0)). Correct its "
            "address.");
  EXPECT_THAT(matrix_failure(std::string(kLoad) + "place(tile) + 4096));"),
              HasSubstr("a row of a matrix is not in the shared memory of the block (ldmatrix, "));
  EXPECT_THAT(matrix_failure(std::string(kLoad) + "place(tile) + 4096));", 32, {{"check", "on"}}),
              HasSubstr("(ldmatrix, k.cu:10, block (0, 0, 0), thread (0, 0, 0))"));
}

TEST(DeviceMatricesTest, ChecksRowsInSharedMemory) {
  const std::string load = "  if (threadIdx.x > 0) tile[threadIdx.x] = 1;\n  __syncwarp();\n" + std::string(kLoad);
  const Options check = {{"check", "on"}};
  EXPECT_EQ(matrix_failure(load + "place(tile) + threadIdx.x % 8 * 16));", 32, check), "it worked");
  EXPECT_THAT(matrix_failure(load + "place(tile) + threadIdx.x % 8 * 64));", 32, check),
              testing::AllOf(HasSubstr("tile"), HasSubstr("k.cu:12"), HasSubstr("no thread wrote")));
}

// Returns the message about a kernel that contains the statement in line 3.
std::string refusal_of(const std::string& statement) {
  const std::string source =
      "__global__ void k(const unsigned* x, unsigned* y, int n) {\n  unsigned d = 0;\n  asm volatile(\"" + statement +
      "\" : \"+r\"(d) : \"l\"(x));\n  y[0] = d;\n}";
  const auto result = BlockKernel{source}({0}, 32);
  EXPECT_FALSE(result.ok()) << statement;
  return result.ok() ? "" : result.error().message;
}

TEST(DeviceMatricesTest, RejectsOtherFormsByNameAndLine) {
  const std::pair<const char*, const char*> cases[] = {
      {"mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%0}, {%0}, {%0}, {%0};",
       "it has 4 operands instead of 6"},
      {"mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%0}, {%0}, {%0}, {%0}, %0, 2;",
       "its selector of metadata is too large"},
      {"mma.sp.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0}, {%0}, {%0}, {%0}, %0, 0;",
       "its types have no such shape"},
      {"wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%0}, %1, %1, %0, 0, 1, 1, 1;",
       "it has 8 operands instead of 10"},
      {"wmma.load.a.sync.aligned.row.m16n16k16.f16 {%0}, [%1];", "it needs fragments of wmma"},
      {"mma.sync.aligned.m16n8k16.row.row.f32.f16.f16.f32 {%0}, {%0}, {%0}, {%0};", "\\\".row.col\\\""},
      {"mma.sync.aligned.m16n8k12.row.col.f32.f16.f16.f32 {%0}, {%0}, {%0}, {%0};", "its types have no such shape"},
      {"mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32 {%0}, {%0}, {%0}, {%0};", "its types do not go together"},
      {"mma.sync.aligned.m16n8k16.row.col.f16.bf16.bf16.f16 {%0}, {%0}, {%0}, {%0};", "its types do not go together"},
      {"mma.sync.aligned.m16n8k16.row.col.satfinite.f32.f16.f16.f32 {%0}, {%0}, {%0}, {%0};",
       "\".satfinite\" is unknown"},
      {"mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e4m3.e4m3.f32 {%0}, {%0}, {%0}, {%0};",
       "\".kind::f8f6f4\" is unknown"},
      {"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0}, {%0}, {%0}, {%0};",
       "an operand has 1 registers instead of 2"},
      {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16 {%0}, {%0}, {%0}, {%0};",
       "it has 3 types of matrices instead of 4"},
      {"ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%0}, [%1];", "its matrices of 8 bits need sm_100"},
      {"ldmatrix.sync.aligned.m8n16.x1.shared.b8x16.b4x16_p64 {%0}, [%1];", "its matrices of 8 bits need sm_100"},
      {"stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [%1], {%0};", "its matrices of 8 bits need sm_100"},
      {"mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32 {%0}, {%0}, {%0}, {%0}, %0, 0;",
       "an operand has 1 registers instead of 4"},
      {"ldmatrix.sync.aligned.m8n8.shared.b16 {%0}, [%1];", "it must be of .m8n8 matrices of .b16: .x1, .x2 or .x4"},
      {"movmatrix.sync.aligned.m8n8.b16 %0, %0;", "it must be movmatrix.sync.aligned.m8n8.trans.b16"},
      {"wgmma.fence.aligned;", "it lacks \".sync.aligned\""},
      {"wgmma.wait_group.sync.aligned %0;", "an operand that must be a number is a register"},
      {"wgmma.mma_async.sync.aligned.m64n12k16.f32.f16.f16 {%0}, %1, %1, 1, 1, 1, 0, 0;",
       "its types have no such shape or operation"},
      {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %0, %0, %0}, %1, %1, 1, 2, 1, 0, 0;",
       "a scale is not 1 or -1"},
      {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %0, %0, %0}, %1, %1, 1, 1, 1, 0, 2;",
       "a transposition is not 0 or 1"},
      {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %0, %0, %0}, %1, %1, 1;",
       "it has 4 operands instead of 8"},
  };
  for (const auto& [statement, reason] : cases) {
    const std::string text = statement, mnemonic = text.substr(0, text.find_first_of(" ;"));
    EXPECT_THAT(refusal_of(text), testing::AllOf(HasSubstr("whose instruction \"" + mnemonic + "\""),
                                                 HasSubstr(replaced(reason, "\\", "")), HasSubstr("(k.cu:3)")));
  }
}

}  // namespace
}  // namespace kmux::cpu
