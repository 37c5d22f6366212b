// The functions of HIP and CUDA that a source finds with engine clang on a machine without ROCm: every function of
// backend cpu, each with the same types, compiled for gfx942.
#include <algorithm>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "kmux/plugin/private_folder.h"
#include "kmux/plugin/process.h"

#include "workbench.h"

namespace kmux {
extern const std::string_view hip_device_text;
}

namespace kmux::hip {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

struct DeviceFunction {
  std::string result, name;
  std::vector<std::string> params;
  bool is_refused = false;
};

std::string line_of(const DeviceFunction& function) {
  std::string text = function.result + " " + function.name + "(";
  for (const std::string& param : function.params) text += (text.back() == '(' ? "" : ", ") + param;
  return text + ")";
}

DeviceFunction parsed(std::string line) {
  DeviceFunction function;
  constexpr std::string_view kRefused = "refused ";
  if (line.starts_with(kRefused)) {
    function.is_refused = true;
    line.erase(0, kRefused.size());
  }
  static const std::regex& form = *new std::regex(R"((.*?) *(\w+)\((.*)\))");
  std::smatch parts;
  if (!std::regex_match(line, parts, form)) throw std::runtime_error("no function: " + line);
  function.result = parts[1];
  function.name = parts[2];
  std::istringstream params(parts[3].str());
  for (std::string param; std::getline(params >> std::ws, param, ',');) function.params.push_back(param);
  return function;
}

std::vector<DeviceFunction> all_functions() {
  std::ifstream file(KMUX_DEVICE_FUNCTIONS);
  std::vector<DeviceFunction> functions;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with('#')) functions.push_back(parsed(line));
  }
  return functions;
}

// Returns "call_7", a device function that calls it and has its parameters.
std::string caller(const DeviceFunction& function, std::size_t number) {
  std::string params, args;
  for (std::size_t i = 0; i < function.params.size(); ++i) {
    const std::string name = "a" + std::to_string(i);
    params += (i == 0 ? "" : ", ") + function.params[i] + " " + name;
    args += (i == 0 ? "" : ", ") + name;
  }
  const std::string call = function.name + "(" + args + ")";
  const std::string begin = "extern \"C\" __device__ __attribute__((used)) ";
  const std::string name = "call_" + std::to_string(number) + "(" + params + ")";
  if (function.is_refused) return begin + "void " + name + " { (void)" + call + "; }\n";
  return begin + function.result + " " + name + " {\n  static_assert(__is_same(decltype(" + call + "), " +
         function.result + "), \"" + line_of(function) + "\");\n  return " + call + ";\n}\n";
}

class DeviceFunctionsTest : public WithClang {
 protected:
  // Compiles `source` after the headers of engine clang.
  ProcessResult compile(const std::string& source, std::vector<std::string> flags) {
    const PrivateFolder folder = PrivateFolder::create("kmux-functions").value();
    folder.write("kmux-builtins.h", hip_device_text).value();
    folder.write("calls.hip", "#include \"kmux-builtins.h\"\n#line 1 \"calls.hip\"\n" + source).value();
    Command command{.argv = {find_clang(host).value().program}, .working_directory = folder.path()};
    for (const char* const flag :
         {"-x", "hip", "--offload-arch=gfx942", "-nogpulib", "-nogpuinc", "--offload-device-only",
          "--no-gpu-bundle-output", "-std=c++20", "-O1", "-Wall", "-Wextra", "-Werror", "-ferror-limit=0"}) {
      command.argv.emplace_back(flag);
    }
    command.argv.insert(command.argv.end(), flags.begin(), flags.end());
    command.argv.insert(command.argv.end(), {"-o", "-", "calls.hip"});
    return run(command).value();
  }
  std::string ir_of(const std::string& source) {
    const ProcessResult result = compile(source, {"-S", "-emit-llvm"});
    EXPECT_EQ(result.exit_code, 0) << result.standard_error;
    return result.standard_output;
  }
};

TEST_F(DeviceFunctionsTest, ExistWithCpuBackendTypes) {
  std::string source;
  std::size_t count = 0;
  for (const DeviceFunction& function : all_functions()) {
    if (!function.is_refused) source += caller(function, count++);
  }
  EXPECT_GT(count, 1000U);
  const std::string ir = ir_of(source);
  // Functions that are only declared belong to LLVM or AMD's device library.
  std::istringstream lines(ir);
  std::set<std::string> others;
  for (std::string line; std::getline(lines, line);) {
    const bool is_known = line.find(" @llvm.") != line.npos || line.find(" @__ocml_") != line.npos;
    if (line.starts_with("declare ") && !is_known) others.insert(line);
  }
  EXPECT_THAT(others, IsEmpty());
}

TEST_F(DeviceFunctionsTest, ExistInDeviceLibrary) {
  const std::string library = find_clang(host).value().device_library;
  if (library.empty()) GTEST_SKIP() << needs("rocm-device-libs", "it is not installed");
  std::string source;
  std::size_t count = 0;
  for (const DeviceFunction& function : all_functions()) {
    if (!function.is_refused) source += caller(function, count++);
  }
  const ProcessResult linked = compile(source, {"-S", "-emit-llvm", "-Xclang", "-disable-llvm-passes", "-Xclang",
                                                "-mlink-builtin-bitcode", "-Xclang", library + "/ocml.bc"});
  EXPECT_EQ(linked.exit_code, 0) << linked.standard_error;
  EXPECT_THAT(linked.standard_output, HasSubstr("float @__ocml_sin_f32"));
  std::istringstream lines(linked.standard_output);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_FALSE(line.starts_with("declare ") && line.find("@__ocml_") != line.npos) << line;
  }
}

TEST_F(DeviceFunctionsTest, RejectedCallsAreReportedByLine) {
  std::string source;
  std::vector<DeviceFunction> refused = all_functions();
  std::erase_if(refused, [](const DeviceFunction& function) { return !function.is_refused; });
  for (std::size_t i = 0; i < refused.size(); ++i) source += caller(refused[i], i);
  const ProcessResult result = compile(source, {"-c"});
  EXPECT_NE(result.exit_code, 0);
  std::istringstream lines(result.standard_error);
  std::vector<std::string> errors;
  for (std::string line; std::getline(lines, line);) {
    if (line.find(": error: call to '") != line.npos) errors.push_back(line);
  }
  ASSERT_EQ(errors.size(), refused.size()) << result.standard_error;
  for (std::size_t i = 0; i < refused.size(); ++i) {
    EXPECT_THAT(errors[i], HasSubstr("calls.hip:" + std::to_string(i + 1) + ":"));
    EXPECT_THAT(errors[i], HasSubstr(refused[i].name));
    EXPECT_THAT(errors[i], HasSubstr("not for AMD's devices with Clang and kmux's headers"));
  }
}

// An argument must not be converted to the type of another overload.
TEST_F(DeviceFunctionsTest, OverloadsKeepArgumentType) {
  const std::string ir = ir_of(
      "__global__ void k(const float* x, const long long* l, const double* d, float* y, long long* z, double* e) {\n"
      "  int t = threadIdx.x; y[t] = abs(x[t]); z[t] = abs(l[t]); e[t] = abs(d[t]); }\n");
  EXPECT_THAT(ir, HasSubstr("@llvm.fabs.f32"));
  EXPECT_THAT(ir, HasSubstr("@llvm.fabs.f64"));
  EXPECT_THAT(ir, HasSubstr("@llvm.abs.i64"));
  for (const char* const cast : {"fptosi", "@llvm.abs.i32", "trunc i64"}) EXPECT_THAT(ir, Not(HasSubstr(cast)));
}

TEST_F(DeviceFunctionsTest, KeepArgumentTypeWithHostHeaders) {
  const std::string headers =
      "#include <math.h>\n#include <cmath>\n#include <stdlib.h>\n#include <cstdlib>\n#include <algorithm>\n"
      "#include <cstring>\n#include <ctime>\n#include <cassert>\n#include <cstdio>\n#include <limits>\n";
  const std::string ir = ir_of(
      headers +
      "__global__ void k(float* x, double* d, long long* l, int n, unsigned* u) {\n"
      "  assert(n > 0);\n"
      "  x[0] = abs(x[1]); d[0] = abs(d[1]); l[0] = abs(l[1]);\n"
      "  x[2] = std::abs(x[3]); d[2] = std::abs(d[3]); l[2] = std::abs(l[3]);\n"
      "  x[4] = std::sin(x[5]); x[6] = std::max(x[7], 1.0f); u[0] = min(threadIdx.x, n); d[4] = max(1.0, x[11]);\n"
      "  x[8] = isnan(x[1]) + std::isinf(d[1]) + signbit(x[2]); memcpy(x + 16, x + 32, 4 * n); l[4] = clock64();\n}\n");
  EXPECT_THAT(ir, HasSubstr("@__ocml_sin_f32"));
  for (const char* const cast : {"fptosi", "@llvm.abs.i32", "trunc i64"}) EXPECT_THAT(ir, Not(HasSubstr(cast)));
}

// Clang has no pragma for AMD's devices that ends such a mode, so none of the headers begins one for a whole file.
TEST_F(DeviceFunctionsTest, KeepContractionMode) {
  const std::string ir = ir_of("__global__ void k(float* x) { x[0] = x[1] * x[2] + x[3]; }\n");
  EXPECT_THAT(ir, HasSubstr("fmul contract float"));
  EXPECT_THAT(ir, HasSubstr("fadd contract float"));
}

// Functions named for their rounding must not be contracted with another operation.
TEST_F(DeviceFunctionsTest, RoundedOperationsAreNotContracted) {
  for (const char* const expression : {"__fmul_rn(x[1], x[2]) + x[3]", "__fadd_rn(x[1] * x[2], x[3])"}) {
    const std::string ir = ir_of("__global__ void k(float* x) { x[0] = " + std::string(expression) + "; }\n");
    const bool both = ir.find("fmul contract") != ir.npos && ir.find("fadd contract") != ir.npos;
    EXPECT_FALSE(both) << expression;
    EXPECT_THAT(ir, Not(HasSubstr("@llvm.fma")));
  }
}

// The other direction: every function that backend cpu declares, as Clang parses it, is in the list.
class FunctionsOfBackendCpuTest : public DeviceFunctionsTest {
 protected:
  // Returns its headers as one text, each found by its name in the folder.
  static std::string text_of(const std::string& name) {
    std::ifstream file(std::string(KMUX_CPU_DEVICE) + "/" + name + ".h");
    std::string text;
    for (std::string line; std::getline(file, line);) {
      if (line == "#include <kmux/sixteen.h>") text += text_of("sixteen");
      if (!line.starts_with("#include") && line != "#pragma once") text += line + "\n";
    }
    return text;
  }
  std::set<std::string> declared() {
    std::string text;
    for (const char* const name : {"threads",         "vectors",    "math_numbers", "math",        "accesses",
                                   "atomics",         "bits",       "conversions",  "failures",    "math_exponentials",
                                   "math_logarithms", "math_turns", "math_powers",  "math_angles", "math_roots",
                                   "math_errors",     "math_fast",  "math_fields",  "packed",      "refused",
                                   "warps",           "hip",        "halves"}) {
      text += text_of(name);
    }
    const ProcessResult result = run({.argv = {find_clang(host).value().program, "-x", "c++", "-std=c++20",
                                               "-fdeclspec", "-nostdinc", "-fsyntax-only", "-Xclang", "-ast-dump", "-"},
                                      .standard_input = text})
                                     .value();
    EXPECT_EQ(result.exit_code, 0) << result.standard_error;
    return functions_in(result.standard_output);
  }

 private:
  // A declaration at the top level or in extern "C"; those of templates have no type after the name.
  static std::set<std::string> functions_in(const std::string& dump) {
    std::set<std::string> names;
    std::istringstream lines(dump);
    for (std::string line; std::getline(lines, line);) {
      const std::size_t kind = line.find("Function");
      if (kind > 5 || line.find_first_not_of("|`- ") != kind || line.find("implicit") != line.npos) continue;
      const std::string front = line.substr(0, std::min(line.find(" '"), line.size()));
      names.insert(front.substr(front.rfind(' ') + 1));
    }
    return names;
  }
};

TEST_F(FunctionsOfBackendCpuTest, AreAllListed) {
  std::set<std::string> known;
  for (const DeviceFunction& function : all_functions()) known.insert(function.name);
  std::set<std::string> missing = declared();
  EXPECT_GT(missing.size(), 800U);
  std::erase_if(missing, [&](const std::string& name) {
    const bool is_own = name.starts_with("kmux_") || name.starts_with("__builtin_") || name.starts_with("operator") ||
                        name.ends_with("_16a") || name.ends_with("_32a");  // vectors of CUDA 13 alone
    return is_own || name == "printf" || name == "dim3" || known.contains(name);  // dim3: a constructor
  });
  EXPECT_THAT(missing, IsEmpty()) << "write them into tests/data/device_functions.txt, and what they are into device/";
}

}  // namespace
}  // namespace kmux::hip
