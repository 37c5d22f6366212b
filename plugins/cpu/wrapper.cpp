#include "wrapper.h"

#include <algorithm>
#include <array>
#include <map>

#include "kmux/json.h"
#include "kmux/plugin/emit.h"
#include "kmux/plugin/plan.h"

#include "options.h"
#include "simt/frontend/installation.h"

namespace kmux {

extern const std::string_view cpu_standalone_text;  // printed
extern const std::string_view cpu_runtime_text;     // runtime

}  // namespace kmux

namespace kmux::cpu {
namespace {

// Returns the alias under which a kernel is called: a symbol, local name or C++ keyword may be spelled like the kernel.
std::string kernel_alias(std::size_t kernel) { return "kmux_kernel_" + std::to_string(kernel); }

std::string join(const std::vector<PrintedArg>& args, std::string PrintedArg::* part) {
  std::string text;
  for (const PrintedArg& arg : args) text.append(text.empty() ? "" : ", ").append(arg.*part);
  return text;
}

// C has no type for some numbers, but Clang and GCC pass such members of a structure differently from their bits.
std::string member_type(DType type) {
  if (type == dtype::kFloat16) return "_Float16";
  return type == dtype::kBFloat16 ? "__bf16" : c_type(type);
}

// Returns the arguments of a launch. A kernel on a grid reads structures and tensor maps in the launcher's memory, by
// address (simt/link/kernel_records.cpp).
std::vector<PrintedArg> arguments_of(CodeWriter& out, const Plan& plan, const PlanLaunch& launch, bool on_grid) {
  std::vector<PrintedArg> args = emit_args(out, plan, launch);
  for (PrintedArg& arg : args) {
    if (on_grid && arg.is_place) arg = {"const " + arg.type + "*", "&" + arg.value};
  }
  return args;
}

std::string declaration(const Plan& plan, const PlanLaunch& launch, bool on_grid) {
  CodeWriter values;  // only the types matter here
  const std::string result = on_grid || launch.returns == CallResult::kInt32 ? "int " : "void ";
  std::string types = join(arguments_of(values, plan, launch, on_grid), &PrintedArg::type);
  if (on_grid) types = types.empty() ? "const void*" : "const void*, " + types;
  return "extern \"C\" " + result + kernel_alias(launch.kernel) + "(" + types + ") __asm__(" +
         quote_c(plan.kernels[launch.kernel]) + ");";
}

using Declarations = std::map<std::size_t, std::string>;  // by kernel

Result<Declarations> declare_kernels(const Plan& plan, bool on_grid) {
  Declarations declarations;
  Status status = Ok{};
  for_each_launch(plan.steps, [&](const PlanLaunch& launch) {
    const std::string text = declaration(plan, launch, on_grid);
    if (declarations.try_emplace(launch.kernel, text).first->second == text) return;
    status = make_error(ErrorCode::kInvalidArgument,
                        "kernel \"" + plan.kernels[launch.kernel] +
                            "\" is launched twice with different types (a function has one). Make the launches agree.");
  });
  KMUX_TRY(status);
  return declarations;
}

class CpuDialect : public LauncherDialect {
 public:
  explicit CpuDialect(Declarations declarations) : declarations_(std::move(declarations)) {}

  void declarations(CodeWriter& out, const Plan& plan) override {
    emit_struct_types(out, plan, member_type);
    for (const auto& [kernel, text] : declarations_) out.line(text);
  }
  void tensor_map(CodeWriter&, const Plan&, std::size_t) override {}  // dialects without a grid have none

  void launch(CodeWriter& out, const Plan& plan, const PlanLaunch& launch) override {
    const std::string& kernel = plan.kernels[launch.kernel];
    out.open("{  // " + kernel);
    const std::string call =
        kernel_alias(launch.kernel) + "(" + join(arguments_of(out, plan, launch, false), &PrintedArg::value) + ")";
    if (launch.returns == CallResult::kVoid) {
      out.line(call + ";");
    } else {
      out.open("if (const int kmux_status = " + call + "; kmux_status != 0) {");
      out.line("kmux_write(error, " + quote_c("kernel \"" + kernel + "\" returned ") + ");");
      out.line("kmux_write_number(error, kmux_status);");
      out.line("return kmux_fail(error, KMUX_LAUNCH_FAILED, \" (0 means success). Its source says what it means.\");");
      out.close();
    }
    out.close();
  }

  // [fill.begin]
  void fill(CodeWriter& out, const Plan& plan, const PlanFill& fill) override {
    out.open("{  // fill");
    const std::string address = emit_address(out, plan, fill.target, "kmux_offset", "offset of a fill");
    const std::string bytes = emit_size(out, fill.bytes, "kmux_bytes", "bytes of a fill");
    out.line("__builtin_memset(" + address + ", " + std::to_string(fill.value) + ", (__SIZE_TYPE__)" + bytes + ");");
    out.close();
  }
  // [fill.end]

 private:
  Declarations declarations_;
};

// Returns the tensor maps that a launch passes, also those in structures.
std::vector<std::size_t> maps_of(const PlanLaunch& launch) {
  std::vector<std::size_t> maps;
  for (const PlanArg& argument : launch.args) {
    if (const auto* const map = std::get_if<PlanMapArg>(&argument)) maps.push_back(map->map);
    const auto* const record = std::get_if<PlanStruct>(&argument);
    for (const PlanMember& member : record != nullptr ? record->members : std::vector<PlanMember>{}) {
      if (const auto* const map = std::get_if<PlanMapArg>(&member.value)) maps.push_back(map->map);
    }
  }
  return maps;
}

// The functions that encode tensor maps (simt/units/tensor_map.h), as emit_tensor_map calls them.
constexpr std::string_view kMapCalls = R"(
extern "C" int kmux_cpu_encode_tiled(kmux_tensor_map*, const kmux_map_geometry*, const unsigned*, kmux_sink);
extern "C" int kmux_cpu_encode_im2col(kmux_tensor_map*, const kmux_map_geometry*, const int*, const int*, unsigned,
                                      unsigned, kmux_sink);
extern "C" int kmux_cpu_check_map(const kmux_tensor_map*, const char* kernel, kmux_sink);
[[maybe_unused]] static int kmux_encode_tiled(const kmux_launch_env*, kmux_tensor_map& map,
                                              const kmux_map_geometry& geometry, const unsigned* box,
                                              kmux_sink error) {
  return kmux_cpu_encode_tiled(&map, &geometry, box, error);
}
[[maybe_unused]] static int kmux_encode_im2col(const kmux_launch_env*, kmux_tensor_map& map,
                                               const kmux_map_geometry& geometry, const int* lower_corner,
                                               const int* upper_corner, unsigned channels_per_pixel,
                                               unsigned pixels_per_column, kmux_sink error) {
  return kmux_cpu_encode_im2col(&map, &geometry, lower_corner, upper_corner, channels_per_pixel, pixels_per_column,
                                error);
}
)";

/// Prints launches of kernels that are written for one thread of a GPU.
class GridDialect : public CpuDialect {
 public:
  using CpuDialect::CpuDialect;

  void declarations(CodeWriter& out, const Plan& plan) override {
    out.line(
        "struct kmux_cpu_grid { unsigned grid[3], block[3]; unsigned long long dynamic_bytes; kmux_sink error; "
        "unsigned is_cooperative, cluster[3]; };");
    if (!plan.maps.empty()) out.lines(tensor_map_types()).lines(kMapCalls);
    CpuDialect::declarations(out, plan);
  }

  void tensor_map(CodeWriter& out, const Plan& plan, std::size_t index) override { emit_tensor_map(out, plan, index); }

  void launch(CodeWriter& out, const Plan& plan, const PlanLaunch& launch) override {
    emit_on_grid(out, plan, launch, [&](const PrintedGeometry& geometry) {
      const std::string arguments = join(arguments_of(out, plan, launch, true), &PrintedArg::value);
      out.line("const kmux_cpu_grid kmux_launch = {" + unsigned_three(geometry.grid) + ", " +
               unsigned_three(geometry.block) + ", ((unsigned long long)(" + geometry.dynamic_smem_bytes +
               ") + 63) / 64 * 64, error, " + (launch.cooperative ? "1" : "0") + ", " +
               (geometry.cluster ? unsigned_three(*geometry.cluster) : "{0, 0, 0}") + "};");
      check_maps(out, plan, launch);
      before_call(out, plan, geometry);
      out.line("if (const int kmux_status = " + kernel_alias(launch.kernel) + "(&kmux_launch" +
               (arguments.empty() ? "" : ", " + arguments) + "); kmux_status != 0) return kmux_status;");
    });
  }

 protected:
  virtual void before_call(CodeWriter&, const Plan&, const PrintedGeometry&) {}

 private:
  // A map without elements is an error only if a kernel gets it.
  static void check_maps(CodeWriter& out, const Plan& plan, const PlanLaunch& launch) {
    for (const std::size_t map : maps_of(launch)) {
      out.line("if (const int kmux_status = kmux_cpu_check_map(&kmux_map_" + std::to_string(map) + ", " +
               quote_c(plan.kernels[launch.kernel]) + ", error)) return kmux_status;");
    }
  }

  static std::string unsigned_three(const std::array<std::string, 3>& extents) {
    return "{(unsigned)(" + extents[0] + "), (unsigned)(" + extents[1] + "), (unsigned)(" + extents[2] + ")}";
  }
};

/// Prints the same for kernels whose memory accesses are checked: passes the extents of all memory before each launch.
class CheckedGridDialect final : public GridDialect {
 public:
  CheckedGridDialect(Declarations declarations, std::vector<PlanMemory> memory)
      : GridDialect(std::move(declarations)), memory_(std::move(memory)) {}

  void declarations(CodeWriter& out, const Plan& plan) override {
    out.line("struct kmux_cpu_extent { const char* name; const void* begin; unsigned long long bytes; };");
    out.line(
        R"(extern "C" void kmux_cpu_memory(const kmux_cpu_extent*, unsigned long long count, unsigned long long dynamic);)");
    GridDialect::declarations(out, plan);
  }

 protected:
  void before_call(CodeWriter& out, const Plan& plan, const PrintedGeometry& geometry) override {
    std::string extents;
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      const std::string number = std::to_string(i);
      const std::string bytes = memory_[i].bytes ? "(unsigned long long)(" +
                                                       emit_size(out, *memory_[i].bytes, "kmux_bytes_of_" + number,
                                                                 "size of \"" + memory_[i].name + "\"") +
                                                       ")"
                                                 : "~0ULL";
      const std::string begin = emit_address(out, plan, memory_[i].address, "kmux_begin_of_" + number, "an address");
      extents.append(extents.empty() ? "{" : ", {").append(quote_c(memory_[i].name)).append(", ").append(begin);
      extents.append(", ").append(bytes).append("}");
    }
    const std::string dynamic = "(unsigned long long)(" + geometry.dynamic_smem_bytes + ")";
    if (!extents.empty()) out.line("const kmux_cpu_extent kmux_extents[] = {" + extents + "};");
    out.line("kmux_cpu_memory(" + std::string(extents.empty() ? "nullptr" : "kmux_extents") + ", " +
             std::to_string(memory_.size()) + ", " + dynamic + ");");
  }

 private:
  std::vector<PlanMemory> memory_;
};

}  // namespace

Result<std::string> CpuWrapper::wrap(const BuildRequest& request) {
  KMUX_ASSIGN(const BuildOptions options, parse_options(request.options, host_));
  KMUX_ASSIGN(Plan plan, lower(request.program, request.variant));
  const bool on_grid = is_device_dialect(request.chosen().dialect);
  KMUX_ASSIGN(Declarations declarations, declare_kernels(plan, on_grid));
  if (on_grid && options.check.memory) {
    std::vector<PlanMemory> memory = bind_memory(request.program.signature, plan);
    CheckedGridDialect dialect(std::move(declarations), std::move(memory));
    return emit_launcher(plan, dialect, kEntry);
  }
  if (on_grid) {
    GridDialect dialect(std::move(declarations));
    return emit_launcher(plan, dialect, kEntry);
  }
  CpuDialect dialect(std::move(declarations));
  return emit_launcher(plan, dialect, kEntry);
}

namespace {

simt::KnownExtents known_extents(const std::array<Expr, 3>& extents) {
  simt::KnownExtents known{};
  for (std::size_t i = 0; i < known.size(); ++i) {
    const bool is_known = extents[i].is_constant() && extents[i].constant() >= 1 && extents[i].constant() <= 1024;
    known[i] = is_known ? static_cast<unsigned>(extents[i].constant()) : 0;
  }
  return known;
}

}  // namespace

Result<simt::BlockExtents> launched_blocks(const BuildRequest& request) {
  KMUX_ASSIGN(const Plan plan, lower(request.program, request.variant));
  simt::BlockExtents blocks;
  for_each_launch(plan.steps, [&](const PlanLaunch& launch) {
    const simt::KnownExtents extents = known_extents(launch.block);
    simt::KnownExtents& known = blocks.emplace(plan.kernels[launch.kernel], extents).first->second;
    for (std::size_t i = 0; i < extents.size(); ++i) {
      if (known[i] != extents[i]) known[i] = 0;
    }
  });
  return blocks;
}

Result<LaunchedKernels> launched_kernels(const BuildRequest& request) {
  KMUX_ASSIGN(Plan plan, lower(request.program, request.variant));
  LaunchedKernels kernels;
  for_each_launch(plan.steps, [&](const PlanLaunch& launch) {  // kernels are numbered by their first launches
    if (launch.kernel == kernels.passed.size()) kernels.passed.push_back(passed_arguments(plan, launch));
  });
  kernels.names = std::move(plan.kernels);
  return kernels;
}

namespace {

// Features that `__builtin_cpu_supports` of every compiler accepts by LLVM's name.
constexpr std::array kAsked =
    std::to_array<std::string_view>({"avx", "avx2", "avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl", "bmi",
                                     "bmi2", "fma", "popcnt", "sse3", "sse4.1", "sse4.2", "ssse3"});

// Returns the expression by which a library tests for `feature`; empty if it does not test.
std::string test_of(const std::string& feature, bool of_aarch64) {
  if (!of_aarch64) {
    const bool is_asked = std::ranges::find(kAsked, feature) != kAsked.end();
    return is_asked ? "__builtin_cpu_supports(" + quote_c(feature) + ")" : "";
  }
  const auto bits = simt::hardware_bits();
  const auto found = std::ranges::find(bits, feature, &simt::HardwareBit::feature);
  if (found == bits.end()) return "";
  return std::string("getauxval(") + (found->word == 2 ? "AT_HWCAP2" : "AT_HWCAP") + ") >> " +
         std::to_string(found->bit) + " & 1";
}

void print_lacks(CodeWriter& out, const Meta& meta) {
  const bool of_aarch64 = simt::is_aarch64(meta.triple);
  out.open("static const char* kmux_cpu_lacks() {").line(of_aarch64 ? "#ifdef __aarch64__" : "#ifdef __x86_64__");
  for (const std::string& feature : meta.features) {
    const std::string test = test_of(feature, of_aarch64);
    if (!test.empty()) out.line("if (!(" + test + ")) return " + quote_c(feature) + ";");
  }
  out.line("#endif").line("return nullptr;").close();
}

}  // namespace

Artifact standalone_parts(const Artifact& artifact, const Meta& meta, bool kernels_may_throw) {
  CodeWriter lacks;
  print_lacks(lacks, meta);
  std::string text = launcher_prelude_for("");
  if (kernels_may_throw) text += "#define KMUX_KERNELS_MAY_THROW\n";
  if (meta.on_grid) text.append("#define KMUX_KERNELS_ON_GRIDS\n").append(cpu_runtime_text);
  Artifact parts;
  parts.set("launcher.cpp", text + std::string(cpu_standalone_text) + "\n" + lacks.text());
  for (const Artifact::Part& part : artifact.parts) {
    if (part.name == kCodePart || part.name.starts_with(kObjectPart)) parts.set(part.name + ".o", part.content);
  }
  const Json::Array libraries = meta.on_grid ? Json::Array{"pthread"} : Json::Array{};
  parts.set("link.json", dump(Json::Object{{"device_type", kDLCPU}, {"libraries", libraries}}));
  return parts;
}

}  // namespace kmux::cpu
