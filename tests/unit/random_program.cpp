#include "unit/random_program.h"

#include <algorithm>
#include <array>
#include <random>

#include "kmux/plugin/features.h"

namespace kmux {
namespace {

constexpr int kExprDepth = 3;
constexpr int kStepDepth = 3;

class Generator {
 public:
  explicit Generator(std::uint32_t seed) : random_(seed) {}

  Program program() {
    Program program{.name = fresh("program")};
    program.signature = signature();
    const int variants = between(1, 3);
    for (int i = 0; i < variants; ++i) program.variants.push_back(variant());
    program.metadata = metadata(program.signature);
    for (int i = between(0, 6) - 3; i > 0; --i) program.constants.push_back(constant());
    return program;
  }

 private:
  // The standard library's distributions differ between implementations; this one does not.
  int between(int low, int high) { return low + static_cast<int>(random_() % static_cast<unsigned>(high - low + 1)); }
  bool chance(int percent) { return between(1, 100) <= percent; }
  template <class Items>
  auto any(const Items& items) {
    return items[static_cast<std::size_t>(between(0, static_cast<int>(items.size()) - 1))];
  }
  std::string fresh(const char* kind) { return std::string(kind) + "_" + std::to_string(count_++); }

  // Returns an expression over `names_`. Its first operand is a name, so that it is not folded to a constant out of
  // range.
  Expr expr(int depth = kExprDepth) {
    if (names_.empty()) return between(1, 100);
    return chance(30) ? Expr(between(1, 100)) : named_expr(depth);
  }

  Expr named_expr(int depth) {
    if (depth == 0 || chance(30)) return Expr::symbol(any(names_));
    const auto op = static_cast<ExprOp>(between(static_cast<int>(ExprOp::kAdd), static_cast<int>(ExprOp::kCast)));
    if (op == ExprOp::kCast) {
      constexpr std::array kTypes{dtype::kInt32, dtype::kInt64, dtype::kUInt8, dtype::kUInt16, dtype::kBool};
      return Expr::cast(any(kTypes), named_expr(depth - 1));
    }
    std::vector<Expr> operands{named_expr(depth - 1)};
    while (operands.size() < static_cast<std::size_t>(arity(op))) operands.push_back(expr(depth - 1));
    return Expr::make(op, std::move(operands));
  }

  DType element() {
    constexpr std::array kTypes{dtype::kFloat32, dtype::kFloat16,     dtype::kBFloat16,
                                dtype::kInt8,    dtype::kInt64,       dtype::kFloat8E4M3FN,
                                dtype::kBool,    DType{kDLInt, 4, 1}, DType{kDLFloat, 16, 4}};
    return any(kTypes);
  }

  Constant constant() {
    Constant constant{chance(50) ? fresh("constant") : fresh("filters::constant"), number()};
    while (chance(60)) constant.shape.push_back(between(1, 9));
    constant.initialised = chance(30);
    return constant;
  }

  DType number() {
    constexpr std::array kTypes{dtype::kInt8,    dtype::kInt32,   dtype::kInt64,   dtype::kUInt32,    dtype::kBool,
                                dtype::kFloat16, dtype::kFloat32, dtype::kFloat64, dtype::kFloat8E5M2};
    return any(kTypes);
  }

  // Returns symbols that inputs carry, scalars, and then buffers that may use both.
  Signature signature() {
    Signature signature;
    const int symbols = between(0, 3);
    for (int i = 0; i < symbols; ++i) {
      const std::string symbol = fresh("n");
      signature.symbols.push_back({symbol, chance(50) ? dtype::kInt32 : dtype::kInt64});
      signature.params.push_back({fresh("carrier"), carrier(Expr::symbol(symbol))});
      names_.push_back(symbol);
    }
    const int scalars = between(0, 3);
    for (int i = 0; i < scalars; ++i) scalar(signature);
    const int others = between(1, 4);
    for (int i = 0; i < others; ++i) buffer(signature);
    if (chance(30)) signature.params.push_back({fresh("pointer"), PointerParam{}});
    shuffle(signature.params);
    std::ranges::sort(signature.symbols, {}, [order = symbol_order(signature)](const Symbol& symbol) {
      return std::ranges::find(order, symbol.name) - order.begin();
    });
    remember(signature);
    return signature;
  }

  BufferParam carrier(const Expr& symbol) {
    BufferParam buffer{.dtype = element(), .shape = {chance(50) ? symbol : symbol * between(2, 9) + between(0, 3)}};
    if (chance(30)) buffer = {.dtype = element(), .shape = {between(2, 8), between(2, 8)}, .strides = {{symbol, 1}}};
    return buffer;
  }

  void scalar(Signature& signature) {
    const DType type = number();
    signature.params.push_back({fresh("scalar"), ScalarParam{type}});
    scalars_.push_back(signature.params.back().name);
    if (is_integer(type)) names_.push_back(scalars_.back());
    if (is_bool(type)) bools_.push_back(scalars_.back());
  }

  void buffer(Signature& signature) {
    BufferParam buffer{.dtype = element()};
    const int rank = between(0, 3);
    for (int i = 0; i < rank; ++i) buffer.shape.push_back(expr(1));
    if (chance(20)) buffer.alignment_bytes = 1 << between(0, 8);
    const std::string name = fresh("buffer");
    if (chance(20)) {
      buffer.nullable = true;
    } else if (chance(40)) {
      signature.outputs.push_back(name);
    } else {
      buffer.inout = chance(30);
    }
    signature.params.push_back({name, std::move(buffer)});
  }

  template <class T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random_() % i]);
  }

  void remember(const Signature& signature) {
    names_.insert(names_.end(), bools_.begin(), bools_.end());
    for (const Param& param : signature.params) {
      const BufferParam* buffer = as_buffer(param);
      if (is_pointer(param) || (buffer != nullptr && !buffer->nullable)) memory_.push_back(param.name);
      if (buffer != nullptr && !buffer->nullable) buffers_.push_back(param.name);
    }
  }

  Variant variant() {
    const Dialect dialect = any(all_dialects());
    Variant variant{.dialect = std::string(dialect.name)};
    if (chance(30)) variant.requirements.arch = {"sm_90a", "sm_100"};
    if (chance(30)) variant.requirements.features = {"tma"};
    variant.sources.push_back(file());
    if (!dialect.is_binary) {
      if (chance(30)) variant.sources.push_back(file());
      if (chance(40)) variant.headers.push_back(file());
      if (chance(50)) variant.settings = settings();
    }
    const std::size_t outer = names_.size();
    variant.body = body(dialect);
    names_.resize(outer);
    return variant;
  }

  File file() { return {"src/" + fresh("file") + ".x", "content " + std::to_string(random_() % 1000)}; }

  Settings settings() {
    Settings settings{.fast_math = chance(50)};
    if (chance(50)) settings.standard = "c++17";
    if (chance(50)) settings.defines = {"TILE=" + std::to_string(between(1, 99)), "DEBUG"};
    if (chance(50)) settings.preludes = {"stdint.h"};
    if (chance(50)) settings.include_hints = {"tilelang"};
    if (chance(30)) settings.compile_flags = {"-O3", "-DA=1 2"};
    if (chance(30)) settings.python_requires = {"nvidia-cutlass-dsl>=4.7.0,!=4.8.0", "tilelang==0.1.15"};
    return settings;
  }

  Body body(const Dialect& dialect) {
    workspaces_.clear();
    maps_.clear();
    Body body;
    for (int i = between(0, 2); i > 0; --i) {
      body.lets.push_back({fresh("let"), expr()});
      names_.push_back(body.lets.back().name);
    }
    for (int i = between(0, 2); i > 0; --i) body.asserts.push_back({expr(), "line 1\n\"quoted\" \\ \xc3\xa4"});
    for (int i = between(0, 2); i > 0; --i) {
      body.workspaces.push_back({fresh("workspace"), expr(), 1 << between(4, 12)});
      workspaces_.push_back(body.workspaces.back().name);
    }
    for (int i = dialect.is_host || !has_memory() ? 0 : between(0, 2); i > 0; --i) {
      body.tensor_maps.push_back(chance(60) ? tiled_map() : im2col_map());
      maps_.push_back(body.tensor_maps.back().name);
    }
    body.steps = steps(dialect, kStepDepth);
    body.steps.push_back(launch(dialect));
    return body;
  }

  std::string memory() {
    std::vector<std::string> all = memory_;
    all.insert(all.end(), workspaces_.begin(), workspaces_.end());
    return any(all);
  }
  bool has_memory() const { return !memory_.empty() || !workspaces_.empty(); }

  TensorMap map_of(int rank) {
    TensorMap map{.name = fresh("map"), .dtype = TensorMapDType::kFloat16, .base = {memory()}};
    for (int i = 0; i < rank; ++i) map.dims.push_back(between(1, 4096));
    for (int i = 1; i < rank; ++i) map.strides_bytes.push_back(32 * between(1, 4096));
    if (chance(30)) map.element_strides.assign(static_cast<std::size_t>(rank), between(1, 8));
    map.l2_promotion = static_cast<L2Promotion>(between(0, 3));
    map.oob_fill = static_cast<OobFill>(between(0, 1));
    if (chance(30)) map.base.offset_bytes = 32;
    return map;
  }

  TensorMap tiled_map() {
    const int rank = between(1, 5);
    TensorMap map = map_of(rank);
    TiledMap tiled{{32}};
    while (tiled.box.size() < map.dims.size()) tiled.box.push_back(between(1, 256));
    map.mode = tiled;
    map.swizzle = static_cast<Swizzle>(chance(50) ? 0 : between(2, 6));
    if (rank >= 3 && chance(30)) {
      map.interleave = Interleave::k32B;
      map.swizzle = Swizzle::k32B;
    }
    return map;
  }

  TensorMap im2col_map() {
    const int rank = between(3, 5);
    TensorMap map = map_of(rank);
    const std::vector<std::int64_t> corner(static_cast<std::size_t>(rank - 2), between(-16, 15));
    map.mode = Im2colMap{corner, corner, 8 * between(1, 4), between(1, 1024)};
    return map;
  }

  std::vector<Step> steps(const Dialect& dialect, int depth) {
    std::vector<Step> list;
    for (int i = between(0, 2); i > 0; --i) list.push_back(step(dialect, depth));
    return list;
  }

  Step step(const Dialect& dialect, int depth) {
    const int kind = between(0, depth > 0 ? 3 : 1);
    if (kind == 3) return loop(dialect, depth);
    if (kind == 2) return If{expr(), steps(dialect, depth - 1), steps(dialect, depth - 1)};
    if (kind == 1 && has_memory()) return fill();
    return launch(dialect);
  }

  // A constant size might exceed the target's size.
  Fill fill() {
    Fill fill{{memory()}, 0, static_cast<std::uint8_t>(between(0, 255))};
    if (names_.empty()) return fill;
    fill.bytes = named_expr(kExprDepth);
    if (chance(30)) fill.target.offset_bytes = expr();
    return fill;
  }

  Step loop(const Dialect& dialect, int depth) {
    For loop{fresh("i"), chance(50) ? Expr(0) : expr(), expr(), {}};
    names_.push_back(loop.variable);
    loop.steps = steps(dialect, depth - 1);
    names_.pop_back();
    return loop;
  }

  Launch launch(const Dialect& dialect) {
    Launch launch{.kernel = "kernel_" + std::to_string(between(0, 3))};
    if (dialect.has_name_expressions && chance(30)) launch.kernel = "ns::" + launch.kernel + "<float, 4>";
    for (int i = between(0, 6); i > 0; --i) launch.args.push_back(arg());
    if (dialect.is_host) {
      launch.returns = chance(50) ? CallResult::kInt32 : CallResult::kVoid;
      return launch;
    }
    launch.grid = extents();
    launch.block = extents();
    if (chance(20)) launch.cluster = extents();
    if (chance(30)) launch.dynamic_smem_bytes = expr();
    launch.cooperative = chance(20);
    launch.programmatic_serialization = chance(20);
    launch.packed_values = dialect.has_packed_values && chance(50);
    if (!buffers_.empty() && chance(20)) launch.l2_windows.push_back({any(buffers_), expr(), between(0, 8) / 8.0});
    return launch;
  }

  Extents extents() {
    Extents extents;
    for (int i = between(0, 3); i > 0; --i) extents.push_back(expr());
    return extents;
  }

  LaunchArg arg() {
    if (chance(90)) return plain_arg();
    StructArg record{{plain_arg(), plain_arg()}, chance(50) ? 0 : 16};
    if (chance(30)) record.members.emplace_back(StructArg{{plain_arg()}});
    return record;
  }

  LaunchArg plain_arg() {
    const int kind = between(0, 4);
    const Expr offset = chance(20) ? expr() : Expr(0);
    if (kind == 0 && !memory_.empty()) return TensorArg{any(memory_), offset};
    if (kind == 1 && !scalars_.empty()) return ScalarArg{any(scalars_)};
    if (kind == 2 && !maps_.empty()) return TensorMapArg{any(maps_)};
    if (kind == 3 && !workspaces_.empty()) return WorkspaceArg{any(workspaces_), offset};
    return ExprArg{expr(), chance(50) ? dtype::kInt32 : dtype::kUInt64};
  }

  Metadata metadata(const Signature& signature) {
    Metadata metadata;
    if (chance(50)) metadata.description = "made from a seed";
    if (chance(50)) metadata.origin = "random_program";
    for (const Symbol& symbol : signature.symbols) metadata.symbols[symbol.name] = between(0, 4096);
    for (const std::string& scalar : scalars_) metadata.scalars[scalar] = between(-9, 9) / 4.0;
    if (chance(50)) metadata.flops = expr();
    if (chance(50)) metadata.bytes = expr();
    return metadata;
  }

  std::mt19937 random_;
  int count_ = 0;
  std::vector<std::string> names_;       // usable in expressions here
  std::vector<std::string> scalars_;     // scalar parameters
  std::vector<std::string> bools_;       // usable in expressions of bodies only
  std::vector<std::string> buffers_;     // not nullable
  std::vector<std::string> memory_;      // buffers and pointers
  std::vector<std::string> workspaces_;  // of the body
  std::vector<std::string> maps_;        // of the body
};

}  // namespace

Program random_program(std::uint32_t seed) { return Generator(seed).program(); }

FileReader files_of(const Program& program) {
  return [&program](const std::string& path) -> Result<std::string> {
    for (const Variant& variant : program.variants) {
      for (const auto* files : {&variant.sources, &variant.headers}) {
        for (const File& file : *files) {
          if (file.path == path) return file.content;
        }
      }
    }
    return make_error(ErrorCode::kUnavailable, "no file \"" + path + "\".");
  };
}

}  // namespace kmux
