#include "simt/ptx/matrix_forms.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "simt/ptx/instruction.h"

namespace kmux::simt::ptx {
namespace matrix_forms {
namespace {

using enum MatrixType;

std::optional<MatrixType> matrix_type(std::string_view name) {
  static constexpr std::pair<std::string_view, MatrixType> kNames[] = {
      {"f16", kF16}, {"bf16", kBf16}, {"tf32", kTf32}, {"f32", kF32}, {"f64", kF64}, {"e4m3", kE4m3}, {"e5m2", kE5m2},
      {"s8", kS8},   {"u8", kU8},     {"s4", kS4},     {"u4", kU4},   {"b1", kB1},   {"s32", kS32}};
  for (const auto& [known, type] : kNames) {
    if (known == name) return type;
  }
  return std::nullopt;
}

/// Elements of A and B that the same forms take.
enum class Inputs : std::uint8_t { kHalf, kBrain, kTensor, kDouble, kEighth, kByte, kNibble, kBit, kNone };

Inputs inputs_of(MatrixType type) {
  switch (type) {
    case kF16:
      return Inputs::kHalf;
    case kBf16:
      return Inputs::kBrain;
    case kTf32:
      return Inputs::kTensor;
    case kF64:
      return Inputs::kDouble;
    case kE4m3:
    case kE5m2:
      return Inputs::kEighth;
    case kS8:
    case kU8:
      return Inputs::kByte;
    case kS4:
    case kU4:
      return Inputs::kNibble;
    case kB1:
      return Inputs::kBit;
    default:
      return Inputs::kNone;
  }
}

bool has_sums_of(Inputs inputs, MatrixType sums) {
  switch (inputs) {
    case Inputs::kHalf:
    case Inputs::kEighth:
      return sums == kF16 || sums == kF32;
    case Inputs::kBrain:
    case Inputs::kTensor:
      return sums == kF32;
    case Inputs::kDouble:
      return sums == kF64;
    default:
      return sums == kS32;
  }
}

/// The extents of a shape.
struct Shape {
  unsigned m = 0, n = 0, k = 0;

  bool operator==(const Shape&) const = default;
};

// Parses "m16n8k16".
std::optional<Shape> shape_of(std::string_view part) {
  Shape shape;
  for (const auto& [letter, extent] : {std::pair{'m', &shape.m}, std::pair{'n', &shape.n}, std::pair{'k', &shape.k}}) {
    if (part.empty() || part.front() != letter) return std::nullopt;
    const auto parsed = std::from_chars(part.data() + 1, part.data() + part.size(), *extent);
    if (parsed.ec != std::errc()) return std::nullopt;
    part.remove_prefix(static_cast<std::size_t>(parsed.ptr - part.data()));
  }
  return part.empty() ? std::optional(shape) : std::nullopt;
}

/// The parts of a mnemonic: a shape, types in their order, and others, which are taken one by one.
class Parts {
 public:
  explicit Parts(const Statement& statement) {
    for (std::size_t i = 1; i < statement.parts.size(); ++i) {
      const std::string_view part = statement.parts[i];
      if (const auto type = matrix_type(part)) {
        types_.push_back(*type);
      } else if (const auto shape = shape_of(part); shape && shape_ == Shape{}) {
        shape_ = *shape;
      } else {
        others_.push_back(part);
      }
    }
  }
  bool take(std::string_view name) {
    const auto found = std::ranges::find(others_, name);
    if (found == others_.end()) return false;
    others_.erase(found);
    return true;
  }
  /// Takes ".row" or ".col" of A and of B, in this order.
  bool take_layouts(MatrixProduct& product) {
    const auto is_layout = [](std::string_view part) { return part == "row" || part == "col"; };
    const auto first = std::ranges::find_if(others_, is_layout);
    if (others_.end() - first < 2 || !is_layout(first[1])) return false;
    product.is_a_mn_major = first[0] == "col", product.is_b_mn_major = first[1] == "row";
    others_.erase(first, first + 2);
    return true;
  }
  const Shape& shape() const { return shape_; }
  MatrixType type(std::size_t i) const { return types_[i]; }
  Status check_types(std::size_t count) const {
    if (types_.size() == count) return Ok{};
    return Instruction::refuse("it has " + std::to_string(types_.size()) + " types of matrices instead of " +
                               std::to_string(count));
  }
  /// Checks that each part was taken.
  Status check_others() const {
    if (others_.empty()) return Ok{};
    return Instruction::refuse("\"." + std::string(others_.front()) + "\" is unknown");
  }

 private:
  std::vector<MatrixType> types_;
  std::vector<std::string_view> others_;
  Shape shape_;
};

// Takes what products of integers alone have.
void take_integer_parts(Parts& parts, MatrixProduct& product) {
  if (product.a == kB1) {
    product.is_xor = parts.take("xor");
    if (!product.is_xor) parts.take("and");
    parts.take("popc");
  } else if (is_integer(product.a)) {
    product.is_saturated = parts.take("satfinite");
  }
}

/// A shape of mma, and its types.
struct MmaShape {
  Shape shape;
  Inputs inputs;
};

constexpr MmaShape kMmaShapes[] = {
    {{8, 8, 4}, Inputs::kHalf},     {{16, 8, 8}, Inputs::kHalf},    {{16, 8, 16}, Inputs::kHalf},
    {{16, 8, 8}, Inputs::kBrain},   {{16, 8, 16}, Inputs::kBrain},  {{16, 8, 4}, Inputs::kTensor},
    {{16, 8, 8}, Inputs::kTensor},  {{8, 8, 4}, Inputs::kDouble},   {{16, 8, 4}, Inputs::kDouble},
    {{16, 8, 8}, Inputs::kDouble},  {{16, 8, 16}, Inputs::kDouble}, {{16, 8, 16}, Inputs::kEighth},
    {{16, 8, 32}, Inputs::kEighth}, {{8, 8, 16}, Inputs::kByte},    {{16, 8, 16}, Inputs::kByte},
    {{16, 8, 32}, Inputs::kByte},   {{8, 8, 32}, Inputs::kNibble},  {{16, 8, 32}, Inputs::kNibble},
    {{16, 8, 64}, Inputs::kNibble}, {{8, 8, 128}, Inputs::kBit},    {{16, 8, 128}, Inputs::kBit},
    {{16, 8, 256}, Inputs::kBit},
};

bool is_mma_shape(const Shape& shape, Inputs inputs) {
  return std::ranges::any_of(kMmaShapes,
                             [&](const MmaShape& one) { return one.shape == shape && one.inputs == inputs; });
}

// Shapes whose metadata are known; those of integers of 4 bits pair their elements.
constexpr MmaShape kSparseShapes[] = {
    {{16, 8, 16}, Inputs::kHalf},   {{16, 8, 32}, Inputs::kHalf},  {{16, 8, 16}, Inputs::kBrain},
    {{16, 8, 32}, Inputs::kBrain},  {{16, 8, 8}, Inputs::kTensor}, {{16, 8, 16}, Inputs::kTensor},
    {{16, 8, 64}, Inputs::kEighth}, {{16, 8, 64}, Inputs::kByte},
};

bool is_sparse_shape(const Shape& shape, Inputs inputs) {
  return std::ranges::any_of(kSparseShapes,
                             [&](const MmaShape& one) { return one.shape == shape && one.inputs == inputs; });
}

// The K of wgmma is 32 bytes of a row, of sparse matrices 64. N is a multiple of 8, of integers above 32 of 16.
bool is_wgmma_shape(const Shape& shape, MatrixType a, bool is_sparse) {
  const unsigned bits = a == kB1 ? 1 : element_bits(a);
  const unsigned step = is_integer(a) && shape.n > 32 ? 16 : 8;
  const bool is_input = a == kF16 || a == kBf16 || a == kTf32 || inputs_of(a) == Inputs::kEighth ||
                        inputs_of(a) == Inputs::kByte || (a == kB1 && !is_sparse);
  return is_input && shape.m == 64 && shape.k * bits == (is_sparse ? 512 : 256) && shape.n > 0 &&
         shape.n <= kMaxProductColumns && shape.n % step == 0;
}

MatrixProduct product_of(const Shape& shape, MatrixType a, MatrixType b, MatrixType c, MatrixType d) {
  MatrixProduct product{};
  product.m = static_cast<std::uint16_t>(shape.m);
  product.n = static_cast<std::uint16_t>(shape.n);
  product.k = static_cast<std::uint16_t>(a == kB1 ? shape.k / 32 : shape.k);
  product.a = a, product.b = b, product.c = c, product.d = d;
  return product;
}

Status check_inputs(const MatrixProduct& product) {
  const Inputs inputs = inputs_of(product.a);
  const bool loses = products_of(product) > 1 && product.c == kF32 && product.d == kF16;
  const bool have_sums = has_sums_of(inputs, product.c) && has_sums_of(inputs, product.d) && !loses;
  if (inputs == inputs_of(product.b) && have_sums) return Ok{};
  return Instruction::refuse("its types do not go together");
}

}  // namespace
}  // namespace matrix_forms

Result<MatrixProduct> mma_form(const Statement& statement) {
  using namespace matrix_forms;
  Parts parts(statement);
  KMUX_TRY(parts.check_types(4));
  MatrixProduct product = product_of(parts.shape(), parts.type(1), parts.type(2), parts.type(3), parts.type(0));
  const bool is_aligned = parts.take("sync") && parts.take("aligned") && parts.take_layouts(product);
  if (!is_aligned || (products_of(product) == 1 && (product.is_a_mn_major || product.is_b_mn_major)))
    return Instruction::refuse(R"(it lacks ".sync.aligned" or ".row.col")");
  product.is_sparse = parts.take("sp") || parts.take("sp::ordered_metadata");
  take_integer_parts(parts, product);
  if (product.a == MatrixType::kF64) parts.take("rn");
  KMUX_TRY(parts.check_others());
  KMUX_TRY(check_inputs(product));
  const auto is_shape = product.is_sparse ? is_sparse_shape : is_mma_shape;
  if (is_shape(parts.shape(), inputs_of(product.a))) return product;
  return Instruction::refuse("its types have no such shape");
}

Result<MatrixProduct> wgmma_form(const Statement& statement) {
  using namespace matrix_forms;
  Parts parts(statement);
  if (!parts.take("mma_async") || !parts.take("sync") || !parts.take("aligned"))
    return Instruction::refuse("it must be mma_async.sync.aligned");
  KMUX_TRY(parts.check_types(3));
  MatrixProduct product = product_of(parts.shape(), parts.type(1), parts.type(2), parts.type(0), parts.type(0));
  product.is_sparse = parts.take("sp");
  take_integer_parts(parts, product);
  KMUX_TRY(parts.check_others());
  KMUX_TRY(check_inputs(product));
  if (product.is_xor || !is_wgmma_shape(parts.shape(), product.a, product.is_sparse))
    return Instruction::refuse("its types have no such shape or operation");
  product.m /= kWarpsOfGroup;
  product.is_by_group = true;
  return product;
}

}  // namespace kmux::simt::ptx
