#include "random_kernel.h"

namespace kmux::cpu {

RandomKernel::RandomKernel(unsigned seed, unsigned threads) : random_(seed), threads_(threads) {
  const std::string count = std::to_string(threads);
  cuda_ = "__global__ void kernel(const unsigned* x, unsigned* y) {\n  __shared__ unsigned s0[" + count + "], s1[" +
          count +
          "];\n  const unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);\n"
          "  s0[t] = s1[t] = t;\n  unsigned ";
  c_ = "static unsigned s0[" + count + "], s1[" + count + "], all[6][" + count + "];\n";
  for (unsigned i = 0; i < kVariables; ++i) {
    const std::string name = "v" + std::to_string(i);
    cuda_ += (i == 0 ? "" : ", ") + name + " = x[(t * " + std::to_string(i + 3) + ") & 63]";
    c_ += "#define " + name + " all[" + std::to_string(i) + "][t]\n";
  }
  cuda_ += ";\n  __syncthreads();\n";
  c_ += "void reference(const unsigned* x, unsigned* y) {\n  for (unsigned t = 0; t < " + count +
        "; ++t) {\n    s0[t] = s1[t] = t;\n";
  for (unsigned i = 0; i < kVariables; ++i) {
    c_ += "    v" + std::to_string(i) + " = x[(t * " + std::to_string(i + 3) + ") & 63];\n";
  }
  c_ += "  }\n";
  items(3 + pick(3), 0);
  std::string sum = "v0";
  for (unsigned i = 1; i < kVariables; ++i) sum += " + " + std::to_string(2 * i + 1) + " * v" + std::to_string(i);
  cuda_ += "  y[t] = " + sum + ";\n}\n";
  c_ += "  for (unsigned t = 0; t < " + count + "; ++t) y[t] = " + sum + ";\n}\n";
}

std::string RandomKernel::expression(unsigned depth) {
  if (depth == 0 || pick(5) == 0) {
    switch (pick(5)) {
      case 0:
        return std::to_string(pick(100)) + "u";
      case 1:
        return "t";
      case 2:
        return "x[(" + variable() + ") & 63]";
      default:
        return variable();
    }
  }
  const std::string a = expression(depth - 1);
  const std::string b = expression(depth - 1);
  static const char* const kOperators[] = {"+", "-", "*", "&", "|", "^", "<", "==", ">", "!="};
  switch (pick(16)) {
    case 0:
      return "(" + a + " / (" + b + " | 1u))";
    case 1:
      return "(" + a + " % (" + b + " | 3u))";
    case 2:
      return "(" + a + (pick(2) == 0 ? " << (" : " >> (") + b + " & 31u))";
    case 3:
      return "((" + a + ") & 1u ? " + b + " : " + expression(depth - 1) + ")";
    default:
      return "(" + a + " " + kOperators[pick(10)] + " " + b + ")";
  }
}

std::string RandomKernel::statement(unsigned depth, bool in_loop) {
  const std::string condition = "((" + expression(2) + ") & " + std::to_string(1U << pick(4)) + "u) != 0";
  const unsigned kind = depth == 0 ? pick(2) : pick(7);
  switch (kind) {
    case 2:
      return "if (" + condition + ") {\n" + statements(2, depth - 1, in_loop) + "}\n";
    case 3:
      return "if (" + condition + ") {\n" + statements(2, depth - 1, in_loop) + "} else {\n" +
             statements(1, depth - 1, in_loop) + "}\n";
    case 4: {
      const std::string i = "i" + std::to_string(names_++);
      return "for (unsigned " + i + " = 0; " + i + " < ((" + expression(1) + ") & 7u); ++" + i + ") {\n" +
             statements(2, depth - 1, true) + variable() + " += " + i + ";\n}\n";
    }
    case 5: {
      const std::string i = "i" + std::to_string(names_++);
      return "for (unsigned " + i + " = " + std::to_string(pick(12)) + "; " + i + " > 0; --" + i + ") {\n" +
             statements(2, depth - 1, true) + "if (" + condition + ") break;\n" + statements(1, depth - 1, true) +
             "}\n";
    }
    case 6:
      if (in_loop) return "if (" + condition + ") continue;\n";
      [[fallthrough]];
    default:
      return variable() + (pick(3) == 0 ? " += " : " = ") + expression(3) + ";\n";
  }
}

std::string RandomKernel::statements(unsigned count, unsigned depth, bool in_loop) {
  std::string text;
  for (unsigned i = 0; i < count; ++i) text += statement(depth, in_loop);
  return text;
}

// Reads what the phase before wrote to shared memory, and writes for the next one.
void RandomKernel::phase() {
  const std::string from = phases_ % 2 == 0 ? "s0" : "s1";
  const std::string to = phases_ % 2 == 0 ? "s1" : "s0";
  ++phases_;
  const std::string size = std::to_string(threads_);
  const std::string body = statements(2 + pick(3), 3, false) + variable() + " ^= " + from + "[(" + expression(1) +
                           ") % " + size + "u];\n" + (pick(3) == 0 ? "if (" + variable() + " & 1u) " : "") + to +
                           "[t] = " + expression(2) + ";\n";
  cuda_ += "{\n" + body + "}\n__syncthreads();\n";
  c_ += "for (unsigned t = 0; t < " + size + "; ++t) {\nfor (int once = 1; once; --once) {\n" + body + "}\n}\n";
}

void RandomKernel::exchange() {
  const std::string to = variable();
  const std::string from = variable();
  const std::string lane = expression(2);
  cuda_ +=
      to + " = __shfl_sync(~0u, " + from + ", (" + lane + ") & 31u) + __popc(__ballot_sync(~0u, " + from + " & 1u));\n";
  const std::string size = std::to_string(threads_);
  c_ += "for (unsigned t = 0; t < " + size + "; ++t) {\n  const unsigned lane = (" + lane + ") & 31u, self = t;\n" +
        "  unsigned odd = 0, got;\n  { const unsigned t = (self & ~31u) + lane; got = " + from + "; }\n" +
        "  for (unsigned t = self & ~31u; t < (self & ~31u) + 32; ++t) odd += " + from +
        " & 1u;\n  all[5][t] = got + odd;\n}\n" + "for (unsigned t = 0; t < " + size + "; ++t) " + to +
        " = all[5][t];\n";
}

void RandomKernel::items(unsigned count, unsigned depth) {
  for (unsigned i = 0; i < count; ++i) {
    const unsigned kind = pick(6);
    if (kind == 0 && depth < 2) {
      const std::string name = "r" + std::to_string(names_++);
      both("for (unsigned " + name + " = 0; " + name + " < " + std::to_string(1 + pick(3)) + "; ++" + name + ") {\n");
      phases_ += phases_ % 2;
      items(2 * (1 + pick(2)), depth + 1);
      if (phases_ % 2 != 0) phase();
      both("}\n");
    } else if (kind == 1 && threads_ % 32 == 0) {
      exchange();
    } else {
      phase();
    }
  }
}

}  // namespace kmux::cpu
