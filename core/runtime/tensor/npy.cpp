#include "kmux/npy.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <optional>

#include "kmux/guarded.h"
#include "kmux/plugin/file_io.h"

#include "shape.h"

namespace kmux {
namespace {

/// The header of a .npy file.
struct NpyHeader {
  DType dtype;
  bool opaque = false;         // void bytes ("|V2"): only their size is known
  bool fortran_order = false;  // first dimension innermost
  std::vector<std::int64_t> shape;
  std::size_t data_offset = 0;  // bytes before the elements
};

constexpr std::uint64_t kMaxNpyBytes = std::uint64_t{1} << 36;

Error about(const std::filesystem::path& path, Error error) {
  error.message = "\"" + path.string() + "\": " + error.message;
  return error;
}

/// Returns the type of the elements: the file's own, or `reinterpret_as` if it has the same size and applies.
Result<DType> element_type(const NpyHeader& header, std::optional<DType> reinterpret_as) {
  const bool raw = header.opaque || header.dtype.code == kDLUInt;
  if (!reinterpret_as || *reinterpret_as == header.dtype) return header.dtype;
  const bool foreign = !is_integer(*reinterpret_as) && !is_bool(*reinterpret_as) && reinterpret_as->code != kDLFloat &&
                       !is_complex(*reinterpret_as);
  const bool same_size = total_bits(*reinterpret_as) == total_bits(header.dtype);
  if (same_size && (header.opaque || (raw && foreign))) return *reinterpret_as;
  return header.dtype;
}

/// Returns the strides of a non-empty Fortran-order array: the first dimension is innermost.
std::vector<std::int64_t> fortran_strides(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t i = 1; i < shape.size(); ++i) strides[i] = strides[i - 1] * shape[i - 1];
  return strides;
}

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMaxHeaderBytes = 1 << 16;

Error malformed(const std::string& why) {
  return make_error(ErrorCode::kInvalidArgument, why + ". Write the file with numpy.save.");
}

/// Reads the Python dict literal of a header: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }.
class DictReader {
 public:
  explicit DictReader(std::string_view text) : text_(text) {}

  Result<NpyHeader> read() {
    NpyHeader header;
    std::array<bool, 3> seen{};
    if (!take('{')) return malformed("the header is not a dict");
    while (!take('}')) {
      KMUX_ASSIGN(const std::string key, string());
      if (!take(':')) return malformed("the header has no ':' after '" + key + "'");
      KMUX_TRY(field(key, header, seen));
      take(',');
    }
    if (!std::ranges::all_of(seen, [](bool one) { return one; })) {
      return malformed("the header lacks one of 'descr', 'fortran_order' and 'shape'");
    }
    return header;
  }

 private:
  Status field(const std::string& key, NpyHeader& header, std::array<bool, 3>& seen) {
    if (key == "descr") return seen[0] = true, element_type(header);
    if (key == "fortran_order") return seen[1] = true, boolean(header.fortran_order);
    if (key == "shape") return seen[2] = true, shape(header.shape);
    return malformed("the header has the unknown key '" + key + "'");
  }

  Status element_type(NpyHeader& header) {
    skip_blanks();
    if (at_ < text_.size() && text_[at_] == '[') {
      return make_error(ErrorCode::kInvalidArgument,
                        "the elements are structured (kmux has plain numbers only). Save one field alone.");
    }
    KMUX_ASSIGN(const std::string text, string());
    if (text.size() < 3) return malformed("the element type '" + text + "' is unknown");
    std::int64_t bytes = 0;
    const auto parsed = std::from_chars(text.data() + 2, text.data() + text.size(), bytes);
    const bool whole = parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
    if (text[0] == '>' && bytes > 1) {
      return make_error(
          ErrorCode::kInvalidArgument,
          "the elements ('" + text + "') are big-endian. Convert them: a.astype(a.dtype.newbyteorder('<')).");
    }
    const auto dtype = whole ? dtype_of(text[1], bytes) : std::nullopt;
    if (!dtype) {
      return make_error(ErrorCode::kInvalidArgument,
                        "the element type '" + text +
                            "' is not one of kmux (integers, bool, float16 to float64, "
                            "complex64, complex128, void bytes). Convert the array first.");
    }
    header.dtype = *dtype;
    header.opaque = text[1] == 'V';
    return Ok{};
  }

  static std::optional<DType> dtype_of(char kind, std::int64_t bytes) {
    const bool is_complex = kind == 'c' && (bytes == 8 || bytes == 16);
    const bool power = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
    if (!power && !is_complex) return std::nullopt;
    const auto bits = static_cast<std::uint8_t>(8 * bytes);
    if (is_complex) return DType{kDLComplex, bits, 1};
    if (kind == 'b' && bytes == 1) return dtype::kBool;
    if (kind == 'i') return DType{kDLInt, bits, 1};
    if (kind == 'u' || kind == 'V') return DType{kDLUInt, bits, 1};
    if (kind == 'f' && bytes > 1) return DType{kDLFloat, bits, 1};
    return std::nullopt;
  }

  Status boolean(bool& value) {
    for (const auto& [word, meaning] : {std::pair("True", true), std::pair("False", false)}) {
      skip_blanks();
      if (!text_.substr(at_).starts_with(word)) continue;
      at_ += std::string_view(word).size();
      value = meaning;
      return Ok{};
    }
    return malformed("'fortran_order' is neither True nor False");
  }

  Status shape(std::vector<std::int64_t>& shape) {
    if (!take('(')) return malformed("'shape' is not a tuple");
    while (!take(')')) {
      std::int64_t extent = 0;
      skip_blanks();
      const auto parsed = std::from_chars(text_.data() + at_, text_.data() + text_.size(), extent);
      if (parsed.ec != std::errc() || extent < 0) return malformed("'shape' has an extent that is not a size");
      at_ = static_cast<std::size_t>(parsed.ptr - text_.data());
      shape.push_back(extent);
      if (!take(',') && !peek(')')) return malformed("'shape' is not a tuple of integers");
    }
    return Ok{};
  }

  Result<std::string> string() {
    skip_blanks();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    const auto end = quote == '\'' || quote == '"' ? text_.find(quote, at_ + 1) : std::string_view::npos;
    if (end == std::string_view::npos) return malformed("the header has something that is not a string");
    const std::string value(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return value;
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool peek(char c) {
    skip_blanks();
    return at_ < text_.size() && text_[at_] == c;
  }
  bool take(char c) {
    if (!peek(c)) return false;
    ++at_;
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

/// Returns numpy's spelling of the element type. Types that numpy lacks become unsigned integers of the same size.
std::string descr_of(DType dtype) {
  const std::string bytes = std::to_string(dtype.bits / 8);
  if (is_bool(dtype)) return "|b1";
  if (dtype.code == kDLFloat) return "<f" + bytes;
  if (is_complex(dtype)) return "<c" + bytes;
  return (dtype.bits == 8 ? "|" : "<") + std::string(dtype.code == kDLInt ? "i" : "u") + bytes;
}

// Source: NumPy's format specification, NEP 1.
Result<NpyHeader> parse_npy_header(std::string_view bytes) {
  if (!bytes.starts_with(kMagic) || bytes.size() < 12) return malformed("it is not a .npy file");
  const auto byte = [&](std::size_t at) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes[at])); };
  const std::size_t version = byte(6);
  if (version < 1 || version > 3) return malformed(".npy format " + std::to_string(version) + " is unknown");
  const std::size_t start = version == 1 ? 10 : 12;
  const std::size_t size = byte(8) | byte(9) << 8 | (version == 1 ? 0 : byte(10) << 16 | byte(11) << 24);
  if (size > kMaxHeaderBytes || start + size > bytes.size()) return malformed("its header is truncated");
  KMUX_ASSIGN(NpyHeader header, DictReader(bytes.substr(start, size)).read());
  header.data_offset = start + size;
  return header;
}

// Returns a header of version 1.0, padded so that the elements begin at a multiple of 64.
std::string make_npy_header(DType dtype, const std::vector<std::int64_t>& shape) {
  std::string extents;
  for (const std::int64_t extent : shape) extents += std::to_string(extent) + ", ";
  std::string dict = "{'descr': '" + descr_of(dtype) + "', 'fortran_order': False, 'shape': (" + extents + "), }";
  const std::size_t unpadded = 10 + dict.size() + 1;
  dict += std::string((64 - unpadded % 64) % 64, ' ') + "\n";
  std::string header(kMagic);
  header += {'\1', '\0', static_cast<char>(dict.size() & 0xff), static_cast<char>(dict.size() >> 8)};
  return header + dict;
}

Result<Tensor> read(const std::string& bytes, std::optional<DType> reinterpret_as) {
  KMUX_ASSIGN(const NpyHeader header, parse_npy_header(bytes));
  KMUX_ASSIGN(const DType dtype, element_type(header, reinterpret_as));
  KMUX_ASSIGN(const std::size_t needed, bytes_of(header.shape, dtype));
  if (bytes.size() - header.data_offset < needed) {
    return make_error(ErrorCode::kInvalidArgument,
                      "it is truncated (" + std::to_string(needed) + " bytes of elements announced, " +
                          std::to_string(bytes.size() - header.data_offset) + " there). Write it again.");
  }
  KMUX_ASSIGN(const Tensor tensor, Tensor::empty(header.shape, dtype));
  if (needed == 0) return tensor;  // its other extents may be arbitrarily large
  std::memcpy(tensor.data(), bytes.data() + header.data_offset, needed);
  if (!header.fortran_order || header.shape.size() < 2) return tensor;
  return Tensor::borrow(tensor.data(), header.shape, dtype, {}, fortran_strides(header.shape)).clone();
}

}  // namespace

Result<Tensor> load_npy(const std::string& path, std::optional<DType> reinterpret_as) {
  return guarded([&]() -> Result<Tensor> {
    KMUX_ASSIGN(const std::string bytes, read_named_file(path, kMaxNpyBytes));
    auto tensor = read(bytes, reinterpret_as);
    if (!tensor) return about(path, std::move(tensor).error());
    return tensor;
  });
}

Status save_npy(const std::string& path, const Tensor& tensor) {
  return guarded([&]() -> Status {
    if (!tensor) return make_error(ErrorCode::kInvalidArgument, "a null tensor cannot be saved. Give one with memory.");
    if (tensor.dtype().lanes != 1 || tensor.dtype().bits % 8 != 0) {
      return make_error(ErrorCode::kUnsupported, "a tensor of " + to_string(tensor.dtype()) +
                                                     " cannot be saved as .npy (its elements are not whole bytes). "
                                                     "Convert it first.");
    }
    KMUX_ASSIGN(const Tensor host, tensor.to(Device{}));
    KMUX_ASSIGN(const Tensor packed, host.is_contiguous() ? Result<Tensor>(host) : host.clone());
    std::string bytes = make_npy_header(packed.dtype(), {packed.shape().begin(), packed.shape().end()});
    bytes.append(packed.data_as<const char>(), static_cast<std::size_t>(packed.byte_count()));
    return write_file(path, bytes);
  });
}

}  // namespace kmux
