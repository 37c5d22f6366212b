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

/// A memory location: a buffer or pointer parameter, or a workspace, plus an offset.
///
/// Units: `offset_bytes` in bytes.
struct MemoryRef {
  std::string name;  // of a buffer parameter or a workspace
  Expr offset_bytes = 0;  // from its first element
  bool operator==(const MemoryRef&) const = default;
};

/// A named integer, computed once a call before any launch. Later lets and all other expressions may use it.
struct Let {
  std::string name;  // for the expressions that follow
  Expr value;  // evaluated once a call
  bool operator==(const Let&) const = default;
};

/// A condition on the arguments; if it is 0, the call fails with invalid_argument and `message`.
struct Assert {
  Expr condition;  // not 0 is true
  std::string message;  // of that error
  bool operator==(const Assert&) const = default;
};

/// Device memory that is valid for one call.
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

/// The tiled mode of a tensor map.
///
/// Units: all vectors innermost dimension first; `box` in elements.
struct TiledMap {
  std::vector<std::int64_t> box;  // elements of a tile in each dimension, innermost first
  bool operator==(const TiledMap&) const = default;
};
/// The im2col mode of a tensor map: boxes of pixels of an image, for convolutions.
struct Im2colMap {
  std::vector<std::int64_t> lower_corner;  // rank - 2 values
  std::vector<std::int64_t> upper_corner;  // rank - 2 values
  std::int64_t channels_per_pixel = 0;  // in a tile
  std::int64_t pixels_per_column = 0;  // in a tile
  bool operator==(const Im2colMap&) const = default;
};

/// A hardware tensor map (CUtensorMap), encoded before the first launch.
///
/// Shapes: 1 <= dims.size() <= 5 (im2col: 3 to 5), innermost first; `strides_bytes` has one value fewer.
/// Units:  dims in elements, strides in bytes.
struct TensorMap {
  std::string name;  // for TensorMapArg
  TensorMapDType dtype = TensorMapDType::kFloat32;  // of its elements
  MemoryRef base = {};  // the first element
  std::vector<Expr> dims = {};  // innermost first
  std::vector<Expr> strides_bytes = {};  // of all dimensions but the innermost
  std::vector<std::int64_t> element_strides = {};  // empty means all 1
  std::variant<TiledMap, Im2colMap> mode = {};  // tiled or im2col
  Interleave interleave = Interleave::kNone;  // of the tensor's channels
  Swizzle swizzle = Swizzle::kNone;  // of a tile in shared memory
  L2Promotion l2_promotion = L2Promotion::kNone;  // of the reads
  OobFill oob_fill = OobFill::kNone;  // the value of out-of-bounds elements
  bool operator==(const TensorMap&) const = default;
};

/// A tensor as an argument of a kernel.
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
  Expr offset_bytes = 0;  // from its first byte
  bool operator==(const WorkspaceArg&) const = default;
};
struct StructArg;
/// An argument of a kernel.
using LaunchArg = std::variant<TensorArg, ScalarArg, ExprArg, TensorMapArg, WorkspaceArg, StructArg>;

/// A structure by value, built from separate arguments of the caller. It has the layout of C: each member begins at a
/// multiple of its alignment, and the size is a multiple of the largest alignment.
struct StructArg {
  std::vector<LaunchArg> members = {};  // in the order of the structure
  std::int64_t alignment_bytes = 0;  // declared by the type (16 for float4); 0: that of its members
  friend bool operator==(const StructArg&, const StructArg&);
};

/// Bytes at the start of a buffer that should stay in the L2 cache during a launch.
struct L2Window {
  std::string buffer;  // a parameter
  Expr bytes;  // from its first element
  double hit_ratio = 0.8;  // fraction of accesses that persist, 0 to 1
  bool operator==(const L2Window&) const = default;
};

/// The return type of a called function.
enum class CallResult : std::uint8_t { kVoid, kInt32 };

/// Up to three extents; missing ones are 1.
using Extents = std::vector<Expr>;

/// One kernel launch. In dialect `c` it is a plain call: extents and device features must be absent. In dialect
/// `cutedsl`, a launch without grid and block calls a host function, `@cute.jit`, whose launches set these.
struct Launch {
  std::string kernel;  // a symbol, or an instantiation such as "scale<float>"
  std::vector<LaunchArg> args = {};  // one per parameter of the kernel
  Extents grid = {};  // blocks in x, y, z
  Extents block = {};  // threads in x, y, z
  Extents cluster = {};  // empty: no cluster
  Expr dynamic_smem_bytes = 0;  // of each block
  bool cooperative = false;  // all blocks resident at the same time
  bool programmatic_serialization = false;  // may begin before the launch ahead of it has ended
  std::vector<L2Window> l2_windows = {};  // memory that should stay in the L2 cache
  CallResult returns = CallResult::kVoid;  // dialect `c` only: int32 means non-zero is launch_failed
  bool packed_values = false;  // Metal dialects only: scalars and integers come last, in one buffer of 8-byte slots
  bool operator==(const Launch&) const = default;
};

/// Sets `bytes` bytes to `value`.
struct Fill {
  MemoryRef target;  // the first byte
  Expr bytes;  // 0: no effect
  std::uint8_t value = 0;  // of each byte
  bool operator==(const Fill&) const = default;
};

struct If;
struct For;
/// A step of a body.
using Step = std::variant<Launch, Fill, If, For>;

/// Runs `then_steps` if `condition` is not 0, else `else_steps`.
struct If {
  Expr condition;  // not 0 is true
  std::vector<Step> then_steps;  // if it is true
  std::vector<Step> else_steps;  // if it is false
  friend bool operator==(const If&, const If&);
};

/// Runs `steps` for `variable` = begin, begin + 1, ... < end; both are evaluated once.
struct For {
  std::string variable;  // an integer that `steps` can use
  Expr begin;  // its first value
  Expr end;  // exclusive upper bound
  std::vector<Step> steps;  // in each iteration
  friend bool operator==(const For&, const For&);
};

/// The host program: lets in order, asserts, workspaces, tensor maps, then a tree of steps on one stream.
struct Body {
  std::vector<Let> lets = {};  // in order; each may use those before it
  std::vector<Assert> asserts = {};  // checked before any step
  std::vector<Workspace> workspaces = {};  // device memory of one call
  std::vector<TensorMap> tensor_maps = {};  // of this call
  std::vector<Step> steps = {};  // launches and fills, in order
  bool operator==(const Body&) const = default;
};

/// A file of a program, with its content. `path` is relative, uses '/', and must not leave the program's folder.
struct File {
  std::string path;  // relative, as sources include it
  std::string content;  // text or bytes
  bool operator==(const File&) const = default;
};

/// The producer's compile settings; every backend maps them to its compiler.
struct Settings {
  std::string standard = {};  // "c11", "c++17", ...; empty: the backend's default
  std::vector<std::string> defines = {};  // "NAME" or "NAME=VALUE"
  std::vector<std::string> preludes = {};  // headers included before the first line, as `-include` does
  std::vector<std::string> include_hints = {};  // header packages that the sources need, for messages ("tilelang")
  std::vector<std::string> python_requires = {};  // packages that Python sources import ("nvidia-cutlass-dsl>=4.7.0")
  std::vector<std::string> compile_flags =
      {};  // for the dialect's usual compiler ("-O3"), before those of a compilation
  bool fast_math = false;  // allows contraction and approximation (docs/dispatch-ir.md)
  bool operator==(const Settings&) const = default;
};

/// The machine requirements of a variant. Empty lists: any machine of its dialect.
struct Requires {
  std::vector<std::string> arch = {};  // any one of these ("sm_90a")
  std::vector<std::string> features = {};  // all of these
  bool operator==(const Requires&) const = default;
};

/// One way to run the program: sources in a dialect, and the host body that launches them.
struct Variant {
  std::string dialect;  // "c", "cuda", "hip", "msl", "cutedsl", "cubin", "ptx", "hsaco", "metallib", "object"
  Requires requirements = {};  // of the target
  Settings settings = {};  // of the compiler
  std::vector<File> sources = {};  // compiled (or loaded) in order
  std::vector<File> headers = {};  // found by an include directive, never compiled alone
  Body body = {};  // the host code that launches it
  bool operator==(const Variant&) const = default;
};

/// Information for people and tools; never part of a key.
struct Metadata {
  std::string description = {};  // a sentence for people
  std::string origin = {};  // the source of the program
  std::string reference = {};  // the computation, for example "C = A @ B"
  NameMap<std::int64_t> symbols = {};  // example values of symbols
  NameMap<double> scalars = {};  // example values of scalar parameters
  std::optional<Expr> flops = {};  // of a call, over symbols and scalars
  std::optional<Expr> bytes = {};  // the minimum that a call must move
  bool operator==(const Metadata&) const = default;
};

/// A variable of the compiled module that the caller sets by name: `__constant__` or `__device__` in CUDA.
///
/// Shapes: extents of `shape` are at least 1; it is empty for one element.
struct Constant {
  std::string name = {};  // as in the sources, with its namespaces: "filters::weights"
  DType dtype = {};  // of its elements
  std::vector<std::int64_t> shape = {};  // extents, outermost first
  bool initialised = false;  // the sources initialise it: launches are valid before the caller sets it
  bool operator==(const Constant&) const = default;
};

/// Returns its size in bytes; nothing for 2^63 bits or more, extents below 1, or a partly filled last byte.
std::optional<std::int64_t> bytes_of(const Constant& constant);
/// Returns text such as "float32[3, 3]", for messages.
std::string describe(const Constant& constant);

/// A kernel program: a signature, and one or more variants that run it.
struct Program {
  std::string name;  // a C identifier
  Signature signature = {};  // the parameters, of all variants
  std::vector<Variant> variants = {};  // in the order of preference
  Metadata metadata = {};  // not in the digest
  std::vector<Constant> constants = {};  // of all variants
  bool operator==(const Program&) const = default;
};

}  // namespace kmux
