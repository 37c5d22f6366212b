#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "kmux/expr.h"
#include "kmux/name_map.h"
#include "kmux/signature.h"

namespace kmux {

/// A place in memory: a buffer or pointer parameter, or a workspace, plus an offset.
///
/// Units: `offset_bytes` in bytes.
struct MemoryRef {
  std::string name;  // of a buffer parameter or a workspace
  Expr offset_bytes = 0;  // from its first element
  bool operator==(const MemoryRef&) const = default;
};

/// A named integer, computed once before anything is launched. Later lets and all other expressions may use it.
struct Let {
  std::string name;  // for the expressions that follow
  Expr value;  // evaluated once a call
  bool operator==(const Let&) const = default;
};

/// A condition on the arguments; if it is 0 the call fails with invalid_argument and `message`.
struct Assert {
  Expr condition;  // not 0 is true
  std::string message;  // of that error
  bool operator==(const Assert&) const = default;
};

/// Device memory that lives for one call.
struct Workspace {
  std::string name;  // for WorkspaceArg and MemoryRef
  Expr bytes;  // evaluated once a call
  std::int64_t alignment_bytes = 256;  // a power of two
  bool operator==(const Workspace&) const = default;
};

/// Enumerations of a tensor map, with the driver's numbers.
///
/// Source: CUDA Driver API, CUtensorMapDataType and following.
// clang-format off
enum class TensorMapDType : std::uint8_t {
  kUInt8 = 0, kUInt16, kUInt32, kInt32, kUInt64, kInt64, kFloat16, kFloat32, kFloat64, kBFloat16,
  kFloat32Ftz, kTFloat32, kTFloat32Ftz, kU4Align8, kU4Align16, kU6Align16,
};
/// As in the driver.
enum class Interleave : std::uint8_t { kNone = 0, k16B, k32B };
/// As in the driver.
enum class Swizzle : std::uint8_t { kNone = 0, k32B, k64B, k128B, k128BAtom32B, k128BAtom32BFlip8B, k128BAtom64B };
/// As in the driver.
enum class L2Promotion : std::uint8_t { kNone = 0, k64B, k128B, k256B };
/// As in the driver.
enum class OobFill : std::uint8_t { kNone = 0, kNan };
// clang-format on

/// Units: all vectors innermost dimension first; `box` in elements.
struct TiledMap {
  std::vector<std::int64_t> box;  // elements of a tile in each dimension, innermost first
  bool operator==(const TiledMap&) const = default;
};
/// Boxes of pixels of an image, for convolutions.
struct Im2colMap {
  std::vector<std::int64_t> lower_corner;  // rank - 2 values
  std::vector<std::int64_t> upper_corner;  // rank - 2 values
  std::int64_t channels_per_pixel = 0;  // of a tile
  std::int64_t pixels_per_column = 0;  // of a tile
  bool operator==(const Im2colMap&) const = default;
};

/// A hardware tensor map (CUtensorMap), encoded before the first launch.
///
/// Shapes: 1 <= dims.size() <= 5 (im2col: 3 to 5), innermost first; `strides_bytes` has one value less.
/// Units:  dims in elements, strides in bytes.
struct TensorMap {
  std::string name;  // for TensorMapArg
  TensorMapDType dtype = TensorMapDType::kFloat32;  // of its elements
  MemoryRef base = {};  // the first element
  std::vector<Expr> dims = {};  // innermost first
  std::vector<Expr> strides_bytes = {};  // of all dimensions but the innermost
  std::vector<std::int64_t> element_strides = {};  // empty means all 1
  std::variant<TiledMap, Im2colMap> mode = {};  // how a tile is cut
  Interleave interleave = Interleave::kNone;  // of the tensor's channels
  Swizzle swizzle = Swizzle::kNone;  // of a tile in shared memory
  L2Promotion l2_promotion = L2Promotion::kNone;  // of the reads
  OobFill oob_fill = OobFill::kNone;  // what elements outside read as
  bool operator==(const TensorMap&) const = default;
};

/// What a kernel parameter is bound to.
struct TensorArg {  // the address of a buffer or pointer parameter
  std::string param;  // its name
  Expr offset_bytes = 0;  // from its first element
  bool operator==(const TensorArg&) const = default;
};
/// A scalar parameter as an argument of a kernel.
struct ScalarArg {  // the bits of a scalar parameter, unchanged
  std::string param;  // its name
  bool operator==(const ScalarArg&) const = default;
};
/// An integer as an argument of a kernel.
struct ExprArg {  // an integer of type `dtype`; a value that does not fit is an error
  Expr value;  // evaluated in each call
  DType dtype = dtype::kInt32;  // of the kernel's parameter
  bool operator==(const ExprArg&) const = default;
};
/// A tensor map as an argument of a kernel.
struct TensorMapArg {  // a 128-byte tensor map by value
  std::string tensor_map;  // its name
  bool operator==(const TensorMapArg&) const = default;
};
/// A workspace as an argument of a kernel.
struct WorkspaceArg {  // the address of a workspace
  std::string workspace;  // its name
  Expr offset_bytes = 0;  // from its begin
  bool operator==(const WorkspaceArg&) const = default;
};
struct StructArg;
/// What a kernel is given.
using LaunchArg = std::variant<TensorArg, ScalarArg, ExprArg, TensorMapArg, WorkspaceArg, StructArg>;

/// A structure by value, put together of what callers pass one by one. It is laid out as C does: each member begins at a
/// multiple of its alignment, and the size is a multiple of the largest one.
struct StructArg {
  std::vector<LaunchArg> members = {};  // in the order of the structure; tensor maps cannot be one
  std::int64_t alignment_bytes = 0;  // that the type is declared with (16 for float4); 0: that of its members
  friend bool operator==(const StructArg&, const StructArg&);
};

/// Bytes at the start of a buffer that should stay in the L2 cache during a launch.
struct L2Window {
  std::string buffer;  // a parameter
  Expr bytes;  // from its first element
  double hit_ratio = 0.8;  // of accesses that stay, 0 to 1
  bool operator==(const L2Window&) const = default;
};

/// What a function that launches returns.
enum class CallResult : std::uint8_t { kVoid, kInt32 };

/// Up to three extents; missing ones are 1.
using Extents = std::vector<Expr>;

/// One kernel launch. In dialect `c` it is a plain call: extents and the device features must be absent. In dialect `cutedsl`
/// one without grid and block is a call of a host function, `@cute.jit`, whose launches say all of that.
struct Launch {
  std::string kernel;  // a symbol, or an instantiation such as "scale<float>"
  std::vector<LaunchArg> args = {};  // one a parameter of the kernel
  Extents grid = {};  // blocks in x, y, z
  Extents block = {};  // threads in x, y, z
  Extents cluster = {};  // empty: no cluster
  Expr dynamic_smem_bytes = 0;  // of each block
  bool cooperative = false;  // all blocks at once
  bool programmatic_serialization = false;  // may begin before the launch ahead of it has ended
  std::vector<L2Window> l2_windows = {};  // what should stay in the L2 cache
  CallResult returns = CallResult::kVoid;  // dialect `c` only: int32 means non-zero is launch_failed
  bool packed_values = false;  // dialects of Metal only: scalars and integers come last, in one buffer of 8-byte slots
  bool operator==(const Launch&) const = default;
};

/// Sets `bytes` bytes to `value`.
struct Fill {
  MemoryRef target;  // the first byte
  Expr bytes;  // 0: nothing is done
  std::uint8_t value = 0;  // of each byte
  bool operator==(const Fill&) const = default;
};

struct If;
struct For;
/// What a body consists of.
using Step = std::variant<Launch, Fill, If, For>;

/// Steps that run if a condition is not 0, and those that run else.
struct If {
  Expr condition;  // not 0 is true
  std::vector<Step> then_steps;  // where it is true
  std::vector<Step> else_steps;  // where it is not
  friend bool operator==(const If&, const If&);
};

/// Runs `steps` for `variable` = begin, begin + 1, ... < end; both are evaluated once.
struct For {
  std::string variable;  // an integer that `steps` can use
  Expr begin;  // its first value
  Expr end;  // the first that it does not take
  std::vector<Step> steps;  // in each round
  friend bool operator==(const For&, const For&);
};

/// The host program: lets in order, asserts, workspaces, tensor maps, then a tree of steps on one stream.
struct Body {
  std::vector<Let> lets = {};  // in order; one can use those before it
  std::vector<Assert> asserts = {};  // checked before any step
  std::vector<Workspace> workspaces = {};  // device memory of one call
  std::vector<TensorMap> tensor_maps = {};  // of this call
  std::vector<Step> steps = {};  // launches and fills, in order
  bool operator==(const Body&) const = default;
};

/// A file of a program, with its content. `path` is relative, uses '/', and never leaves the program's folder.
struct File {
  std::string path;  // relative, as sources include it
  std::string content;  // text or bytes
  bool operator==(const File&) const = default;
};

/// How the producer wants the sources compiled; every backend maps it to its compiler.
struct Settings {
  std::string standard = {};  // "c11", "c++17", ...; empty: the backend's default
  std::vector<std::string> defines = {};  // "NAME" or "NAME=VALUE"
  std::vector<std::string> preludes = {};  // headers included before the first line, as `-include` does
  std::vector<std::string> include_hints = {};  // names of header packages the sources need, for messages ("tilelang")
  std::vector<std::string> python_requires = {};  // packages that Python sources import ("nvidia-cutlass-dsl>=4.7.0")
  std::vector<std::string> compile_flags =
      {};  // of the dialect's usual compiler ("-O3"), before those of a compilation
  bool fast_math = false;  // contraction and approximation are welcome (docs/dispatch-ir.md)
  bool operator==(const Settings&) const = default;
};

/// What a variant needs of the machine. Empty lists: anything of its dialect.
struct Requires {
  std::vector<std::string> arch = {};  // any one of these ("sm_90a")
  std::vector<std::string> features = {};  // all of these
  bool operator==(const Requires&) const = default;
};

/// One way to run the program: sources in a dialect, and how the host launches them.
struct Variant {
  std::string dialect;  // "c", "cuda", "hip", "msl", "cutedsl", "cubin", "ptx", "hsaco", "metallib", "object"
  Requires requirements = {};  // of the target
  Settings settings = {};  // of the compiler
  std::vector<File> sources = {};  // compiled (or loaded) in order
  std::vector<File> headers = {};  // found by an include directive, never compiled alone
  Body body = {};  // how the host launches it
  bool operator==(const Variant&) const = default;
};

/// What helps people and tools; never part of a key.
struct Metadata {
  std::string description = {};  // a sentence for people
  std::string origin = {};  // where the program comes from
  std::string reference = {};  // what it computes, for example "C = A @ B"
  NameMap<std::int64_t> symbols = {};  // example values of symbols
  NameMap<double> scalars = {};  // example values of scalar parameters
  std::optional<Expr> flops = {};  // of a call, over symbols and scalars
  std::optional<Expr> bytes = {};  // that a call must move at least
  bool operator==(const Metadata&) const = default;
};

/// A variable of the compiled module that a caller sets by its name: `__constant__` or `__device__` in CUDA.
///
/// Shapes: `shape` has numbers from 1 on; it is empty for one element.
struct Constant {
  std::string name = {};  // as the sources have it, with its namespaces: "filters::weights"
  DType dtype = {};  // of its elements
  std::vector<std::int64_t> shape = {};  // extents, outermost first
  bool initialised = false;  // the sources give it a value: a launch need not wait until it is set
  bool operator==(const Constant&) const = default;
};

/// Bytes of its value; nothing for more than 2^63, extents below 1, or elements that do not fill their last byte.
std::optional<std::int64_t> bytes_of(const Constant& constant);
/// "float32[3, 3]", for messages.
std::string describe(const Constant& constant);

/// A kernel program: what a caller passes, and one or more ways to run it.
struct Program {
  std::string name;  // a C identifier
  Signature signature = {};  // the parameters, of all variants
  std::vector<Variant> variants = {};  // in the order of preference
  Metadata metadata = {};  // not in the digest
  std::vector<Constant> constants = {};  // of all variants
  bool operator==(const Program&) const = default;
};

}  // namespace kmux
