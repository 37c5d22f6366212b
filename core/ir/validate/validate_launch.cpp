#include <algorithm>
#include <array>

#include "kmux/plugin/quoting.h"

#include "validation.h"

namespace kmux {
namespace {

// Checks one launch; the members share its dialect, scope and problem list.
class LaunchChecker {
 public:
  LaunchChecker(const Dialect* dialect, const Scope& scope, ProblemList& problems)
      : dialect_(dialect), scope_(scope), problems_(problems) {}

  void check(const Launch& launch, const JsonPointer& at) {
    kernel(launch.kernel, at / "kernel");
    for (std::size_t i = 0; i < launch.args.size(); ++i) {
      std::visit([&](const auto& arg) { this->arg(arg, at / "args" / i); }, launch.args[i]);
    }
    extents(launch.grid, "a grid extent", 0, at / "grid");
    extents(launch.block, "a block extent", 1, at / "block");
    extents(launch.cluster, "a cluster extent", 1, at / "cluster");
    check_quantity(launch.dynamic_smem_bytes, "dynamic shared memory", 0, scope_, at / "dynamic_smem_bytes", problems_);
    for (std::size_t i = 0; i < launch.l2_windows.size(); ++i) l2_window(launch.l2_windows[i], at / "l2_windows" / i);
    if (dialect_ != nullptr) features(launch, at);
  }

 private:
  void kernel(const std::string& name, const JsonPointer& at) {
    const bool expressions = dialect_ == nullptr || dialect_->has_name_expressions;
    const bool is_symbol = is_kernel_name(name) && name.find_first_of(":<(") == std::string::npos;
    if (is_symbol || (expressions && is_kernel_name(name))) return;
    problems_.add(at, in_double_quotes(name) + " is not a kernel name. Use an identifier or a mangled name" +
                          (expressions ? ", an instantiation such as \"kern<float, 4>\", or an overload with "
                                         "its parameters: \"kern(float*, int)\"."
                                       : "."));
  }

  void arg(const TensorArg& arg, const JsonPointer& at) {
    const Name* found = require_name(arg.param, {NameKind::kBuffer, NameKind::kPointer},
                                     "a buffer or pointer parameter", scope_, at / "tensor", problems_);
    const bool is_as_given = arg.offset_bytes.is_constant() && arg.offset_bytes.constant() == 0;
    if (found != nullptr && !is_as_given) check_not_nullable(arg.param, *found, at / "tensor", problems_);
    check_quantity(arg.offset_bytes, "an offset", 0, scope_, at / "offset_bytes", problems_);
  }

  void arg(const ScalarArg& arg, const JsonPointer& at) {
    require_name(arg.param, {NameKind::kScalar}, "a scalar parameter", scope_, at / "scalar", problems_);
  }

  void arg(const ExprArg& arg, const JsonPointer& at) {
    check_expr(Expr::cast(arg.dtype, arg.value), ExprPlace::kBody, scope_, at / "expr", problems_);
  }

  void arg(const TensorMapArg& arg, const JsonPointer& at) {
    require_name(arg.tensor_map, {NameKind::kTensorMap}, "a tensor map", scope_, at / "tensor_map", problems_);
  }

  void arg(const WorkspaceArg& arg, const JsonPointer& at) {
    require_name(arg.workspace, {NameKind::kWorkspace}, "a workspace", scope_, at / "workspace", problems_);
    check_quantity(arg.offset_bytes, "an offset", 0, scope_, at / "offset_bytes", problems_);
  }

  void arg(const StructArg& arg, const JsonPointer& at) {
    if (!is_well_formed(arg, 1, at)) return;
    const std::int64_t bytes = layout_of(arg, [this](const std::string& name) { return scalar_type(name); }).bytes;
    if (bytes <= kMaxStructBytes) return;
    problems_.add(at / "struct", "a structure of " + std::to_string(bytes) + " bytes (a kernel takes at most " +
                                     std::to_string(kMaxStructBytes) + "). Pass its large members as tensors.");
  }

  DType scalar_type(const std::string& name) const {
    const Name* const found = scope_.find(name);
    return found == nullptr || found->kind != NameKind::kScalar ? dtype::kInt64 : found->dtype;
  }

  // Returns true if the structure has a layout, and checks its members.
  bool is_well_formed(const StructArg& record, int depth, const JsonPointer& at) {
    if (const std::string why = malformed(record, depth); !why.empty()) {
      problems_.add(at / "struct", why);
      return false;
    }
    bool is_good = is_good_alignment(record.alignment_bytes, at / "align");
    for (std::size_t i = 0; i < record.members.size(); ++i) {
      const JsonPointer there = at / "struct" / i;
      if (const auto* inner = std::get_if<StructArg>(&record.members[i])) {
        is_good = is_well_formed(*inner, depth + 1, there) && is_good;
      } else {
        std::visit([&](const auto& member) { this->arg(member, there); }, record.members[i]);
      }
    }
    return is_good;
  }

  static std::string malformed(const StructArg& record, int depth) {
    if (record.members.empty()) return "a structure without members. Give it one, or leave the argument out.";
    if (depth > kMaxStructDepth)
      return "structures are nested deeper than " + std::to_string(kMaxStructDepth) + " levels. Flatten them.";
    return "";
  }

  bool is_good_alignment(std::int64_t alignment, const JsonPointer& at) {
    if (alignment == 0 || (is_power_of_two(alignment) && alignment <= kMaxStructAlignment)) return true;
    problems_.add(at, "the alignment of a structure is " + std::to_string(alignment) + ". Use a power of two up to " +
                          std::to_string(kMaxStructAlignment) + ".");
    return false;
  }

  void extents(const Extents& extents, std::string_view what, std::int64_t least, const JsonPointer& at) {
    if (extents.size() > 3) problems_.add(at, std::to_string(extents.size()) + " extents. Give up to three (x, y, z).");
    for (std::size_t i = 0; i < extents.size(); ++i) {
      check_quantity(extents[i], what, least, scope_, at / i, problems_);
    }
  }

  void l2_window(const L2Window& window, const JsonPointer& at) {
    const Name* found =
        require_name(window.buffer, {NameKind::kBuffer}, "a buffer parameter", scope_, at / "buffer", problems_);
    if (found != nullptr) check_not_nullable(window.buffer, *found, at / "buffer", problems_);
    check_quantity(window.bytes, "the size of an L2 window", 0, scope_, at / "bytes", problems_);
    if (window.hit_ratio >= 0 && window.hit_ratio <= 1) return;
    problems_.add(at / "hit_ratio", "hit ratio " + std::to_string(window.hit_ratio) + " is not in 0 to 1. Correct it.");
  }

  // Checks features that host dialects lack, and features that only some dialects have.
  void features(const Launch& launch, const JsonPointer& at) {
    struct Use {
      bool is_used;
      const char* key;
      const char* what;
    };
    const std::array uses = std::to_array<Use>(
        {{!launch.grid.empty(), "grid", "grid"},
         {!launch.block.empty(), "block", "block"},
         {!launch.cluster.empty(), "cluster", "cluster"},
         {!launch.dynamic_smem_bytes.is_constant(0), "dynamic_smem_bytes", "shared memory"},
         {launch.cooperative, "cooperative", "cooperative launch"},
         {launch.programmatic_serialization, "programmatic_serialization", "programmatic serialization"},
         {!launch.l2_windows.empty(), "l2_windows", "L2 window"}});
    for (const Use& use : uses) {
      if (!use.is_used || !dialect_->is_host) continue;
      problems_.add(at / use.key, "dialect " + in_double_quotes(dialect_->name) + " has no " + use.what +
                                      " (a launch is a plain call). Remove it.");
    }
    if (launch.packed_values && !dialect_->has_packed_values) {
      problems_.add(at / "packed_values", "a kernel of dialect " + in_double_quotes(dialect_->name) +
                                              " takes each value alone. Remove \"packed_values\".");
    }
    if (launch.returns == CallResult::kVoid || dialect_->is_host) return;
    problems_.add(at / "returns",
                  "a kernel of dialect " + in_double_quotes(dialect_->name) + " returns nothing. Remove \"returns\".");
  }

  const Dialect* dialect_;
  const Scope& scope_;
  ProblemList& problems_;
};

}  // namespace

void check_launch(const Launch& launch, const Dialect* dialect, const Scope& scope, const JsonPointer& at,
                  ProblemList& problems) {
  LaunchChecker(dialect, scope, problems).check(launch, at);
}

namespace {

// Limits of cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col. Source: CUDA Driver API 12.9, Tensor Map Object
// Management.
constexpr std::size_t kMaxMapRank = 5;
constexpr std::size_t kMinIm2colRank = 3;
constexpr std::int64_t kMaxDim = std::int64_t{1} << 32;
constexpr std::int64_t kMaxStrideBytes = (std::int64_t{1} << 40) - 1;
constexpr std::int64_t kMaxBox = 256;
constexpr std::int64_t kMaxElementStride = 8;
constexpr std::int64_t kMaxChannels = 256;
constexpr std::int64_t kMaxPixels = 1024;
constexpr std::int64_t kMapUnitBytes = 16;
constexpr std::int64_t kWideUnitBytes = 32;
constexpr std::int64_t kPackedElements = 128;

struct ElementType {
  int bits;
  bool is_float;
};

ElementType element_type(TensorMapDType type) {
  constexpr std::array kTypes = std::to_array<ElementType>({{8, false},
                                                            {16, false},
                                                            {32, false},
                                                            {32, false},
                                                            {64, false},
                                                            {64, false},
                                                            {16, true},
                                                            {32, true},
                                                            {64, true},
                                                            {16, true},
                                                            {32, true},
                                                            {32, true},
                                                            {32, true},
                                                            {4, false},
                                                            {4, false},
                                                            {6, false}});
  return kTypes[static_cast<std::size_t>(type)];
}

// Returns the maximum bytes of the innermost box side; 0 means no limit.
std::int64_t span_bytes(Swizzle swizzle) {
  constexpr std::array kSpans = std::to_array<std::int64_t>({0, 32, 64, 128, 128, 128, 128});
  return kSpans[static_cast<std::size_t>(swizzle)];
}

// Checks one tensor map; the members share its JSON pointer.
class TensorMapChecker {
 public:
  TensorMapChecker(const TensorMap& map, const Scope& scope, const JsonPointer& at, ProblemList& problems)
      : map_(map), scope_(scope), at_(at), problems_(problems) {}

  void check() {
    check_memory(map_.base, scope_, at_ / "base", problems_);
    multiple(constant_of(map_.base.offset_bytes), unit(), "the offset", at_ / "base" / "offset_bytes");
    dims();
    strides();
    element_strides();
    std::visit([this](const auto& mode) { this->mode(mode); }, map_.mode);
    combinations();
  }

 private:
  bool is_wide() const {
    return map_.interleave == Interleave::k32B || map_.dtype == TensorMapDType::kU4Align16 ||
           map_.dtype == TensorMapDType::kU6Align16;
  }
  bool is_packed() const {
    return map_.dtype == TensorMapDType::kU4Align16 || map_.dtype == TensorMapDType::kU6Align16;
  }
  std::int64_t unit() const { return is_wide() ? kWideUnitBytes : kMapUnitBytes; }

  void within(std::optional<std::int64_t> value, std::int64_t low, std::int64_t high, const std::string& what,
              const JsonPointer& at) {
    if (!value || (*value >= low && *value <= high)) return;
    problems_.add(at, what + " is " + std::to_string(*value) + " (allowed: " + std::to_string(low) + " to " +
                          std::to_string(high) + "). Correct it.");
  }

  void multiple(std::optional<std::int64_t> value, std::int64_t of, const std::string& what, const JsonPointer& at) {
    if (!value || *value % of == 0) return;
    problems_.add(at, what + " is " + std::to_string(*value) + " (not a multiple of " + std::to_string(of) +
                          "). Pad the tensor, or pass it without a tensor map.");
  }

  void count(std::size_t found, std::size_t expected, const std::string& what, const JsonPointer& at) {
    if (found == expected) return;
    problems_.add(at, std::to_string(found) + " " + what + " for rank " + std::to_string(map_.dims.size()) + " (" +
                          std::to_string(expected) + " expected). Correct it.");
  }

  void dims() {
    const bool tiled = std::holds_alternative<TiledMap>(map_.mode);
    within(static_cast<std::int64_t>(map_.dims.size()), tiled ? 1 : kMinIm2colRank, kMaxMapRank,
           std::string("the rank of ") + (tiled ? "a tiled" : "an im2col") + " map", at_ / "dims");
    for (std::size_t i = 0; i < map_.dims.size(); ++i) {
      check_expr(map_.dims[i], ExprPlace::kBody, scope_, at_ / "dims" / i, problems_);
      within(constant_of(map_.dims[i]), 1, kMaxDim, "the dimension", at_ / "dims" / i);
    }
    if (is_packed() && !map_.dims.empty()) {
      multiple(constant_of(map_.dims[0]), kPackedElements, "the innermost dimension", at_ / "dims" / std::size_t{0});
    }
  }

  void strides() {
    const JsonPointer at = at_ / "strides_bytes";
    if (!map_.dims.empty()) count(map_.strides_bytes.size(), map_.dims.size() - 1, "strides", at);
    for (std::size_t i = 0; i < map_.strides_bytes.size(); ++i) {
      check_expr(map_.strides_bytes[i], ExprPlace::kBody, scope_, at / i, problems_);
      const std::optional<std::int64_t> stride = constant_of(map_.strides_bytes[i]);
      within(stride, 0, kMaxStrideBytes, "the stride", at / i);
      multiple(stride, unit(), "the stride", at / i);
    }
  }

  void element_strides() {
    const JsonPointer at = at_ / "element_strides";
    if (map_.element_strides.empty()) return;
    count(map_.element_strides.size(), map_.dims.size(), "element strides", at);
    each_within(map_.element_strides, 1, kMaxElementStride, "the element stride", at);
  }

  void each_within(const std::vector<std::int64_t>& values, std::int64_t low, std::int64_t high,
                   const std::string& what, const JsonPointer& at) {
    for (std::size_t i = 0; i < values.size(); ++i) within(values[i], low, high, what, at / i);
  }

  void mode(const TiledMap& tiled) {
    const JsonPointer at = at_ / "tiled" / "box";
    count(tiled.box.size(), map_.dims.size(), "box sides", at);
    each_within(tiled.box, 1, kMaxBox, "the box side", at);
    if (!tiled.box.empty()) inner_side(tiled.box[0], at / std::size_t{0});
  }

  void inner_side(std::int64_t elements, const JsonPointer& at) {
    if (is_packed()) return within(elements, kPackedElements, kPackedElements, "the innermost box side", at);
    if (map_.interleave != Interleave::kNone || elements < 1 || elements > kMaxBox) return;
    const std::int64_t bits = elements * element_type(map_.dtype).bits;
    multiple(bits, 8 * kMapUnitBytes, "the innermost box side in bits", at);
    const std::int64_t span = span_bytes(map_.swizzle);
    if (span > 0 && bits > 8 * span) {
      problems_.add(at, "the innermost box side has " + std::to_string(bits / 8) + " bytes (the swizzle spans " +
                            std::to_string(span) + "). Make the box narrower or the swizzle wider.");
    }
  }

  void mode(const Im2colMap& im2col) {
    const JsonPointer at = at_ / "im2col";
    const std::size_t rank = map_.dims.size();
    if (rank >= kMinIm2colRank && rank <= kMaxMapRank) {
      corner(im2col.lower_corner, "lower corner values", at / "lower_corner");
      corner(im2col.upper_corner, "upper corner values", at / "upper_corner");
    }
    within(im2col.channels_per_pixel, 1, kMaxChannels, "channels per pixel", at / "channels_per_pixel");
    within(im2col.pixels_per_column, 1, kMaxPixels, "pixels per column", at / "pixels_per_column");
    if (im2col.channels_per_pixel > 0) inner_side(im2col.channels_per_pixel, at / "channels_per_pixel");
  }

  // A corner has 16, 8 or 5 bits per value in rank 3, 4 and 5.
  void corner(const std::vector<std::int64_t>& values, const std::string& what, const JsonPointer& at) {
    constexpr std::array kTops = std::to_array<std::int64_t>({32768, 128, 16});
    const std::int64_t top = kTops[map_.dims.size() - kMinIm2colRank];
    count(values.size(), map_.dims.size() - 2, what, at);
    each_within(values, -top, top - 1, "the corner value", at);
  }

  void combinations() {
    if (map_.interleave != Interleave::kNone && map_.dims.size() < kMinIm2colRank) {
      problems_.add(at_ / "interleave", "an interleaved map has at least 3 dimensions. Use \"none\".");
    }
    if (map_.interleave == Interleave::k32B && map_.swizzle != Swizzle::k32B) {
      problems_.add(at_ / "swizzle", R"(interleave "32b" goes with swizzle "32b" only. Use it.)");
    }
    if (map_.oob_fill == OobFill::kNan && !element_type(map_.dtype).is_float) {
      problems_.add(at_ / "oob_fill", "integers have no NaN. Use \"none\".");
    }
  }

  const TensorMap& map_;
  const Scope& scope_;
  const JsonPointer& at_;
  ProblemList& problems_;
};

}  // namespace

void check_tensor_map(const TensorMap& map, const Scope& scope, const JsonPointer& at, ProblemList& problems) {
  TensorMapChecker(map, scope, at, problems).check();
}

}  // namespace kmux
