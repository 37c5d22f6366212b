#include "random_kernel.h"

#include <algorithm>

#include "kmux/builder.h"

namespace kmux::cpu {
namespace {

std::string text(unsigned number) { return std::to_string(number); }

// Returns the sum of a thread's variables at the end.
std::string sum_of(unsigned variables) {
  std::string sum = "c[t % 8u]";
  for (unsigned i = 0; i < variables; ++i) sum += " + " + text(2 * i + 1) + "u * v" + text(i);
  return sum;
}

}  // namespace

const std::string& RandomKernel::cuda_prelude() {
  static const std::string prelude =
      "struct Four { unsigned a, b, c, d; };\n#define DEVICE __device__\n#define ADD(p, v) atomicAdd(p, v)\n#define "
      "XOR(p, v) atomicXor(p, v)\n"
      "#define MAX(p, v) atomicMax(p, v)\n#define OUT(sum) y[t] = sum\n";
  return prelude;
}

const std::string& RandomKernel::c_prelude() {
  static const std::string prelude =
      "typedef struct { unsigned a, b, c, d; } Four;\n#define DEVICE static\n#define ADD(p, v) (*(p) += (v))\n#define "
      "XOR(p, v) (*(p) ^= (v))\n"
      "#define MAX(p, v) (*(p) = *(p) < (v) ? (v) : *(p))\n";
  return prelude;
}

RandomKernel::RandomKernel(std::string name, unsigned seed, unsigned threads, std::set<unsigned> left_out)
    : name_(std::move(name)),
      left_out_(std::move(left_out)),
      random_(seed),
      threads_(threads),
      is_large_(seed % 16 == 0) {
  function();
  begin();
  items(is_large_ ? 2 + pick(2) : 1 + pick(3) / 2, 0);
  end();
}

std::string RandomKernel::each(const std::string& body) const {
  return "for (unsigned t = 0; t < " + text(threads_) + "; ++t) {\n" + body + "}\n";
}

// Adds a function of its parameters that returns from within a loop.
void RandomKernel::function() {
  both("DEVICE unsigned " + name_ + "_f(const unsigned* x, unsigned t, unsigned v0, unsigned v1) {\n" +
       "unsigned v2 = v0 ^ t, v3 = v1 + 1, v4 = 3;\n");
  const std::string early = "if (" + condition() + ") return " + expression(1) + ";\n";
  both("for (unsigned i = 0; i < " + rounds(8) + "; ++i) {\n" + block(1, 1, true) + early + "v4 += i;\n}\n" +
       "return v0 + v2 + v3 * v4;\n}\n");
}

void RandomKernel::begin() {
  const std::string count = text(threads_);
  cuda_ += "__global__ void " + name_ + "(const unsigned* x, unsigned* y) {\n__shared__ unsigned s0[" + count +
           "], s1[" + count +
           "], c[8];\nconst unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);\n" +
           "s0[t] = s1[t] = t;\nif (t == 0) for (int i = 0; i < 8; ++i) c[i] = 0;\nunsigned ";
  c_ += "void " + name_ + "(const unsigned* x, unsigned* y) {\nunsigned s0[" + count + "], s1[" + count + "], all[" +
        text(kVariables + 1) + "][" + count + "], c[8] = {0};\n";
  std::string first = "s0[t] = s1[t] = t;\n";
  for (unsigned i = 0; i < kVariables; ++i) {
    const std::string value = " = " + (i < 2 ? "x[(t * " + text(i + 3) + ") & 63]" : "t * " + text(pick(100)));
    cuda_ += (i == 0 ? "v" : ", v") + text(i) + value;
    first += "all[" + text(i) + "][t]" + value + ";\n";
  }
  cuda_ += ";\n__syncthreads();\n";
  c_ += each(first);
  for (unsigned i = 0; i < kVariables; ++i) c_ += "#define v" + text(i) + " all[" + text(i) + "][t]\n";
}

// Ends some threads before others.
void RandomKernel::end() {
  const std::string early = condition();
  const std::string rest = block(is_large_ ? 2 : pick(2), several(2), false);
  const std::string sum = sum_of(kVariables);
  cuda_ += "__syncthreads();\nif (" + early + ") {\nOUT(" + sum + ");\nreturn;\n}\n" + rest + "OUT(7u ^ (" + sum +
           "));\n}\n";
  c_ +=
      each("if (" + early + ") {\ny[t] = " + sum + ";\ncontinue;\n}\n" + rest + "y[t] = 7u ^ (" + sum + ");\n") + "}\n";
  for (unsigned i = 0; i < kVariables; ++i) c_ += "#undef v" + text(i) + "\n";
}

// Returns the trip count of a uniform loop: mostly unknown to the compiler, which expands known counts into much code.
std::string RandomKernel::rounds(unsigned below) {
  return pick(4) == 0 ? text(pick(below)) : "(x[" + text(pick(kInputs)) + "] % " + text(below) + "u)";
}

std::string RandomKernel::condition() {
  const std::string value = expression(is_large_ ? 2 : 1);
  if (pick(3) == 0) return leaf() + " < " + value;
  return "((" + value + ") & " + text(pick(2) == 0 ? 1 : 1U << pick(4)) + "u) != 0";
}

std::string RandomKernel::leaf() {
  switch (pick(8)) {
    case 0:
    case 1:
      return text(pick(100)) + "u";
    case 2:
      return "t";
    case 3:
      return "x[(" + variable() + ") & 63]";
    case 4:
      return neighbour();
    default:
      return variable();
  }
}

// Returns an element adjacent to the next thread's, unless a bound lies between them. The compiler mostly does not know
// where.
std::string RandomKernel::neighbour() {
  const std::string more = pick(3) == 0 ? text(pick(256)) + "u" : "(x[" + text(pick(kInputs)) + "] & 63u)";
  const std::string bound = pick(2) == 0 ? text(1 + pick(400)) + "u" : "(1u + x[" + text(pick(kInputs)) + "] % 400u)";
  switch (pick(8)) {
    case 0:
      return "x[(unsigned char)(t + " + more + ")]";
    case 1:
      return "x[(t + " + more + ") % " + bound + "]";
    case 2:
      return "x[(t + " + more + ") / " + bound + "]";
    case 3:
      return "x[t + " + more + " < " + bound + " ? t + " + more + " : " + bound + "]";
    case 4:
      return "x[" + more + " + 400u - t]";
    case 5:
      return "x[512 + (int)(t - " + more + ") % (int)" + bound + "]";
    case 6:
      return "x[512 + (int)(t - " + more + ") / ((int)" + bound + " - 200 | 1)]";
    default:
      return "x[(t + " + more + ") & " + text((2U << pick(9)) - 1) + "u]";
  }
}

// Returns a conversion through other types.
std::string RandomKernel::conversion(const std::string& a, const std::string& b) {
  switch (pick(5)) {
    case 0:
      return "(unsigned)((int)" + a + " >> (" + b + " & 31u))";
    case 1:
      return "(unsigned)(((unsigned long long)" + a + " * " + b + ") >> 32)";
    case 2:
      return "(unsigned)(unsigned char)(" + a + " + " + b + ")";
    case 3:
      return "(unsigned)((float)(" + a + " & 0xffffu) * 0.5f)";
    default:
      return "(unsigned)((int)(" + a + " & 0xffffu) / ((int)(" + b + " & 15u) - 16))";
  }
}

std::string RandomKernel::expression(unsigned depth) {
  if (depth == 0 || pick(is_large_ ? 5 : 2) == 0) return leaf();
  const std::string a = expression(depth - 1);
  const std::string b = expression(depth - 1);
  static constexpr std::array kOperators = {"+", "-", "*", "&", "|", "^"};
  static constexpr std::array kComparisons = {"<", "==", ">", "!="};
  switch (pick(16)) {
    case 0:
      return "(" + a + " / (" + b + " | 1u))";
    case 1:
      return "(" + a + " % (" + b + " | 3u))";
    case 2:
      return "(" + a + (pick(2) == 0 ? " << (" : " >> (") + b + " & 31u))";
    case 3:
      return "((" + a + ") & 1u ? " + b + " : " + leaf() + ")";
    case 4:
    case 5:
      return conversion(a, b);
    case 6:
    case 7:
    case 8:
    case 9:
      return "(0u + (" + a + " " + kComparisons[pick(kComparisons.size())] + " " + b + "))";
    default:
      return "(" + a + " " + kOperators[pick(kOperators.size())] + " " + b + ")";
  }
}

std::string RandomKernel::simple() {
  if (pick(8) == 0) {  // one record per thread
    if (pick(2) == 0) return variable() + " += x[3u * t + 2u] ^ x[3u * t] + x[3u * t + 1u];\n";
    return "{ const Four four = ((const Four*)x)[t]; " + variable() + " = four.a + 3u * four.b ^ four.c - four.d; }\n";
  }
  return variable() + (pick(3) == 0 ? " += " : " = ") + expression(is_large_ ? 3 : 2) + ";\n";
}

std::string RandomKernel::branch(unsigned depth, bool in_loop) {
  const std::string taken = "if (" + condition() + ") {\n" + block(several(2), depth - 1, in_loop) + "}";
  return pick(2) == 0 ? taken + "\n" : taken + " else {\n" + block(1, depth - 1, in_loop) + "}\n";
}

std::string RandomKernel::counted_loop(unsigned depth) {
  const std::string i = "i" + text(names_++);
  return "for (unsigned " + i + " = 0; " + i + " < ((" + expression(1) + ") & 7u); ++" + i + ") {\n" +
         block(several(2), depth - 1, true) + variable() + " += " + i + ";\n}\n";
}

std::string RandomKernel::left_loop(unsigned depth) {
  const std::string i = "i" + text(names_++);
  return "for (unsigned " + i + " = " + rounds(12) + "; " + i + " > 0; --" + i + ") {\n" + block(1, depth - 1, true) +
         "if (" + condition() + ") break;\n" + block(1, depth - 1, true) + "}\n";
}

std::string RandomKernel::statement(unsigned depth, bool in_loop) {
  const unsigned number = numbers_++;
  switch (depth == 0 ? pick(2) : pick(8)) {
    case 2:
    case 3:
      return kept(number, branch(depth, in_loop));
    case 4:
      return kept(number, counted_loop(depth));
    case 5:
      return kept(number, left_loop(depth));
    case 6:
      if (in_loop) return kept(number, "if (" + condition() + ") continue;\n");
      [[fallthrough]];
    default:
      return kept(number, simple());
  }
}

std::string RandomKernel::block(unsigned count, unsigned depth, bool in_loop) {
  std::string all;
  for (unsigned i = 0; i < count; ++i) all += statement(depth, in_loop);
  return all;
}

// Reads the shared memory written by the previous phase, and writes it for the next one.
void RandomKernel::phase() {
  const unsigned number = numbers_++;
  const std::string from = phases_ % 2 == 0 ? "s0" : "s1";
  const std::string to = phases_ % 2 == 0 ? "s1" : "s0";
  ++phases_;
  static constexpr std::array kAtomics = {"ADD", "XOR", "MAX"};
  std::string body = block(1 + pick(several(2)), 2, false) + variable() + " ^= " + from + "[(" + expression(1) +
                     ") % " + text(threads_) + "u];\n";
  if (pick(is_large_ ? 2 : 4) == 0)
    body += variable() + " += " + name_ + "_f(x, t, " + expression(1) + ", " + leaf() + ");\n";
  if (pick(3) == 0) body += "if (" + condition() + ") ADD(&c[" + leaf() + " % 4u], " + leaf() + ");\n";
  if (pick(3) == 0) {
    const unsigned kind = 1 + pick(2);
    body += std::string(kAtomics[kind]) + "(&c[" + text(4 + kind) + "], " + leaf() + ");\n";
  }
  body += (pick(3) == 0 ? "if (" + variable() + " & 1u) " : "") + to + "[t] = " + expression(2) + ";\n";
  cuda_ += kept(number, "{\n" + body + "}\n__syncthreads();\n");
  c_ += kept(number, each("for (int once = 1; once; --once) {\n" + body + "}\n"));
}

// Adds an exchange among all threads of each warp.
void RandomKernel::exchange() {
  const unsigned number = numbers_++;
  const std::string to = variable();
  const std::string from = variable();
  const unsigned delta = 1U << pick(5);
  struct Kind {
    std::string cuda, lane;
  };
  const std::string given = expression(2);
  const std::array kinds = {
      Kind{"__shfl_sync(~0u, " + from + ", (" + given + ") & 31u)", "(" + given + ") & 31u"},
      Kind{"__shfl_xor_sync(~0u, " + from + ", " + text(delta) + ")", "(t & 31u) ^ " + text(delta) + "u"},
      Kind{"__shfl_up_sync(~0u, " + from + ", " + text(delta) + ")",
           "(t & 31u) < " + text(delta) + "u ? (t & 31u) : (t & 31u) - " + text(delta) + "u"},
      Kind{"__shfl_down_sync(~0u, " + from + ", " + text(delta) + ")",
           "(t & 31u) + " + text(delta) + "u > 31u ? (t & 31u) : (t & 31u) + " + text(delta) + "u"}};
  const Kind& kind = kinds[pick(kinds.size())];
  cuda_ += kept(number, to + " = " + kind.cuda + " + __popc(__ballot_sync(~0u, " + from +
                            " & 1u)) + 64u * __any_sync(~0u, " + from + " == 3u);\n");
  const std::string body = "const unsigned lane = " + kind.lane + ", self = t;\nunsigned odd = 0, got, three = 0;\n" +
                           "{ const unsigned t = (self & ~31u) + lane; got = " + from + "; }\n" +
                           "for (unsigned t = self & ~31u; t < (self & ~31u) + 32; ++t) odd += " + from +
                           " & 1u, three |= " + from + " == 3u;\nall[" + text(kVariables) +
                           "][t] = got + odd + 64u * three;\n";
  c_ += kept(number, each(body) + each(to + " = all[" + text(kVariables) + "][t];\n"));
}

void RandomKernel::items(unsigned count, unsigned depth) {
  for (unsigned i = 0; i < count; ++i) {
    const unsigned kind = pick(6);
    if (kind == 0 && depth < 2) {
      const std::string r = "r" + text(names_++);
      both("for (unsigned " + r + " = 0; " + r + " < " + text(1 + pick(3)) + "; ++" + r + ") {\n");
      phases_ += phases_ % 2;
      items(several(2), depth + 1);
      if (phases_ % 2 != 0) phase();
      both("}\n");
    } else if (kind <= 2 && threads_ % 32 == 0) {
      exchange();
    } else {
      phase();
    }
  }
}

// Warps of 32, 16 and 8 lanes; warps in lockstep, of one block or of more threads than run in lockstep; rows that warps
// straddle; and partial warps. Code for many warps in lockstep is large, so most are small.
const RandomBlock& RandomBlock::of(unsigned seed) {
  static const std::array<RandomBlock, 23> blocks = {
      {{{32, 1, 1}},        {{64, 1, 1}}, {{16, 1, 1}}, {{8, 2, 1}},         {{33, 1, 1}}, {{5, 3, 1}},
       {{32, 1, 1}, false}, {{24, 1, 1}}, {{16, 2, 1}}, {{1, 1, 1}},         {{32, 1, 1}}, {{8, 2, 2}},
       {{7, 5, 1}},         {{8, 1, 1}},  {{32, 2, 1}}, {{16, 2, 2}, false}, {{32, 1, 1}}, {{96, 1, 1}},
       {{16, 16, 1}},       {{24, 4, 1}}, {{16, 1, 1}}, {{40, 1, 1}, false}, {{8, 4, 2}}}};
  return blocks[seed % blocks.size()];
}

RandomProgram::RandomProgram(unsigned first, unsigned count, const std::set<unsigned>& left_out) : first_(first) {
  for (unsigned i = 0; i < count; ++i) kernels_.emplace_back("k" + text(i), first + i, threads(i), left_out);
}

RandomProgram RandomProgram::from(unsigned first, unsigned end) {
  return {first, std::min(kTogether - first % kTogether, end - first)};
}

std::vector<unsigned> RandomProgram::input(unsigned index) const {
  std::mt19937 random(first_ + index);
  std::vector<unsigned> values(RandomKernel::kInputs);
  for (unsigned& value : values) value = static_cast<unsigned>(random());
  return values;
}

Program RandomProgram::program(const std::string& dialect) const {
  const bool is_cuda = dialect == "cuda";
  std::string source = is_cuda ? RandomKernel::cuda_prelude() : RandomKernel::c_prelude();
  ProgramBuilder builder("random");
  const Expr one = builder.scalar("one", dtype::kInt32);
  for (unsigned i = 0; i < size(); ++i) {
    source += is_cuda ? kernels_[i].cuda() : kernels_[i].c();
    builder.buffer("x" + text(i), BufferParam{dtype::kUInt32, {Expr(static_cast<int>(RandomKernel::kInputs))}});
    builder.buffer("y" + text(i), BufferParam{dtype::kUInt32, {Expr(static_cast<int>(threads(i)))}});
  }
  builder.variant(dialect).source(is_cuda ? "kernels.cu" : "reference.c", source);
  for (unsigned i = 0; i < size(); ++i) {
    LaunchBuilder launch = builder.launch("k" + text(i));
    const auto& [extents, is_known] = RandomBlock::of(first_ + i);
    const Expr x = is_known ? Expr(extents[0]) : Expr(extents[0]) * one;
    if (is_cuda) launch.grid({Expr(1)}).block({x, Expr(extents[1]), Expr(extents[2])});
    launch.args({"x" + text(i), "y" + text(i)});
  }
  return builder.build().value();
}

}  // namespace kmux::cpu
