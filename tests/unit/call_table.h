#pragma once

#include <array>
#include <deque>
#include <functional>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "kmux/arg.h"
#include "kmux/dispatch.h"
#include "kmux/plugin/tvm_ffi_abi.h"

namespace kmux {

/// One argument, both as the runtime takes it and as TVM-FFI passes it.
struct CallValue {
  std::variant<std::nullptr_t, bool, std::int64_t, double, void*, DLTensor*> value;
  CallValue(std::nullptr_t) : value(nullptr) {}
  CallValue(bool given) : value(given) {}
  CallValue(int given) : value(std::int64_t{given}) {}
  CallValue(std::int64_t given) : value(given) {}
  CallValue(double given) : value(given) {}
  CallValue(void* given) : value(given) {}
  CallValue(DLTensor* given) : value(given) {}

  Arg arg() const {
    if (const auto* address = std::get_if<void*>(&value)) return Arg::pointer(*address);
    if (const auto* tensor = std::get_if<DLTensor*>(&value)) return Arg(static_cast<const DLTensor*>(*tensor));
    if (const auto* number = std::get_if<std::int64_t>(&value)) return Arg(*number);
    if (const auto* real = std::get_if<double>(&value)) return Arg(*real);
    if (const auto* truth = std::get_if<bool>(&value)) return Arg(*truth);
    return Arg(nullptr);
  }

  TVMFFIAny any() const {
    TVMFFIAny any{kTVMFFINone, 0, {}};
    if (const auto* address = std::get_if<void*>(&value)) any.type_index = kTVMFFIOpaquePtr, any.v_ptr = *address;
    if (const auto* tensor = std::get_if<DLTensor*>(&value)) any.type_index = kTVMFFIDLTensorPtr, any.v_ptr = *tensor;
    if (const auto* number = std::get_if<std::int64_t>(&value)) any.type_index = kTVMFFIInt, any.v_int64 = *number;
    if (const auto* real = std::get_if<double>(&value)) any.type_index = kTVMFFIFloat, any.v_float64 = *real;
    if (const auto* truth = std::get_if<bool>(&value)) any.type_index = kTVMFFIBool, any.v_int64 = *truth ? 1 : 0;
    return any;
  }
};

/// A call and the name of its case.
struct NamedCall {
  std::string name;
  std::vector<CallValue> args;
  bool is_good = false;
};

/// Calls of one signature in which every kind of check occurs: valid calls, and one invalid call for every way to fail.
/// All implementations of the argument checks are tested with this table.
class CallTable {
 public:
  /// Returns the signature. m, k: int32; ld: a stride; t: of a linear expression that has no integer solution for some
  /// extents.
  static Signature signature() {
    const Expr m = Expr::symbol("m"), k = Expr::symbol("k"), ld = Expr::symbol("ld"), t = Expr::symbol("t");
    const Expr n = Expr::symbol("n");
    Signature signature;
    const auto buffer = [&](const char* name, DType dtype, std::vector<Expr> shape) {
      signature.params.push_back({name, BufferParam{dtype, std::move(shape)}});
      return &std::get<BufferParam>(signature.params.back().kind);
    };
    buffer("a", dtype::kFloat32, {m, 16});
    buffer("b", dtype::kFloat16, {m, k})->strides = std::vector<Expr>{ld, 1};
    buffer("c", dtype::kInt8, {k, 4})->nullable = true;
    buffer("d", dtype::kFloat32, {m * n});
    buffer("e", DType{kDLInt, 4, 1}, {m, 8});
    buffer("f", dtype::kFloat32, {t * 4 + 1});
    BufferParam* const g = buffer("g", dtype::kFloat8E4M3FN, {select(n < 3, floordiv(m, n - 1), m), 2});
    g->strides = std::vector<Expr>{ceildiv(m, 2), 1};
    g->nullable = true;
    for (const auto& [name, dtype] : std::initializer_list<std::pair<const char*, DType>>{{"n", dtype::kInt32},
                                                                                          {"u", dtype::kUInt8},
                                                                                          {"x", dtype::kFloat32},
                                                                                          {"h", dtype::kFloat16},
                                                                                          {"y", dtype::kBool},
                                                                                          {"w", dtype::kFloat64}}) {
      signature.params.push_back({name, ScalarParam{dtype}});
    }
    signature.params.push_back({"p", PointerParam{}});
    signature.outputs = {"a"};
    signature.symbols = {{"m", dtype::kInt32}, {"k", dtype::kInt32}, {"t", dtype::kInt64}, {"ld", dtype::kInt64}};
    return signature;
  }

  std::vector<NamedCall> calls() {
    std::vector<NamedCall> calls;
    add_good(calls);
    add_counts(calls);
    add_tensors(calls);
    add_extents(calls);
    add_symbols(calls);
    add_scalars(calls);
    return calls;
  }

  DLTensor* tensor(DType dtype, std::vector<std::int64_t> shape, std::vector<std::int64_t> strides = {}) {
    shapes_.push_back(std::move(shape));
    shapes_.push_back(std::move(strides));
    std::vector<std::int64_t>& extents = shapes_[shapes_.size() - 2];
    std::int64_t* const steps = shapes_.back().empty() ? nullptr : shapes_.back().data();
    tensors_.push_back({memory_.data(),
                        {kDLCPU, 0},
                        static_cast<std::int32_t>(extents.size()),
                        to_dldatatype(dtype),
                        extents.data(),
                        steps,
                        0});
    return &tensors_.back();
  }

 private:
  enum Place : std::size_t { kA, kB, kC, kD, kE, kF, kG, kN, kU, kX, kH, kY, kW, kP, kCount };

  std::vector<CallValue> good() {
    return {tensor(dtype::kFloat32, {6, 16}),
            tensor(dtype::kFloat16, {6, 5}, {8, 1}),
            tensor(dtype::kInt8, {5, 4}),
            tensor(dtype::kFloat32, {12}),
            tensor(DType{kDLInt, 4, 1}, {6, 8}),
            tensor(dtype::kFloat32, {9}),
            tensor(dtype::kFloat8E4M3FN, {6, 2}, {3, 1}),
            2,
            200,
            1.5,
            2.5,
            true,
            3,
            static_cast<void*>(memory_.data())};
  }

  void add(std::vector<NamedCall>& calls, std::string name, std::size_t place, CallValue value, bool is_good = false) {
    calls.push_back({std::move(name), good(), is_good});
    calls.back().args[place] = value;
  }

  template <class Change>
  DLTensor* changed(DLTensor* tensor, Change change) {
    change(*tensor);
    return tensor;
  }

  void add_good(std::vector<NamedCall>& calls) {
    calls.push_back({"everything", good(), true});
    add(calls, "null c", kC, nullptr, true);
    add(calls, "null tensor pointer", kC, static_cast<DLTensor*>(nullptr), true);
    add(calls, "storage of e", kE, tensor(dtype::kUInt8, {6, 4}), true);
    add(calls, "vectors of e", kE, tensor(DType{kDLInt, 4, 2}, {6, 4}), true);
    add(calls, "other e4m3", kG, tensor(dtype::kFloat8E4M3, {6, 2}, {3, 1}), true);
    add(calls, "integer for float32", kX, 3, true);
    add(calls, "bool for uint8", kU, true, true);
    add(calls, "integer for bool", kY, 1, true);
    add(calls, "NaN", kX, std::numeric_limits<double>::quiet_NaN(), true);
    add(calls, "address as integer", kP, 16, true);
    add(calls, "address of a tensor", kP, tensor(dtype::kInt8, {1}), true);
    add(calls, "no address", kP, nullptr, true);
    add(calls, "padded rows", kB, tensor(dtype::kFloat16, {6, 5}, {100, 1}), true);
  }

  void add_counts(std::vector<NamedCall>& calls) {
    calls.push_back({"no arguments", {}});
    calls.push_back({"one too few", good()});
    calls.back().args.pop_back();
    calls.push_back({"one too many", good()});
    calls.back().args.emplace_back(1);
  }

  void add_tensors(std::vector<NamedCall>& calls) {
    add(calls, "null a", kA, nullptr);
    add(calls, "a is an integer", kA, 7);
    add(calls, "a is a bool", kA, false);
    add(calls, "a is a pointer", kA, static_cast<void*>(memory_.data()));
    add(calls, "c is a float", kC, 0.25);
    add(calls, "rank", kA, tensor(dtype::kFloat32, {6}));
    add(calls, "rank 0", kA, tensor(dtype::kFloat32, {}));
    const auto without_shape = [](DLTensor& tensor) { tensor.shape = nullptr; };
    add(calls, "no shape", kA, changed(tensor(dtype::kFloat32, {6, 16}), without_shape));
    add(calls, "no shape, of the later carrier of a symbol", kB,
        changed(tensor(dtype::kFloat16, {6, 5}, {8, 1}), without_shape));
    add(calls, "no shape, where null is allowed", kC, changed(tensor(dtype::kInt8, {5, 4}), without_shape));
    add(calls, "no shape, of a scalar", kN, changed(tensor(dtype::kInt32, {1}), without_shape));
    add(calls, "dtype", kA, tensor(dtype::kFloat64, {6, 16}));
    add(calls, "dtype with lanes", kA, tensor(DType{kDLFloat, 32, 4}, {6, 16}));
    add(calls, "dtype without a name", kC, tensor(DType{77, 9, 1}, {5, 4}));
    add(calls, "dtype of the same bits", kB, tensor(dtype::kBFloat16, {6, 5}, {8, 1}));
    add(calls, "storage that is none", kE, tensor(dtype::kFloat8E5M2, {6, 4}));
    add(calls, "device", kA, changed(tensor(dtype::kFloat32, {6, 16}), [](DLTensor& a) { a.device = {kDLCUDA, 3}; }));
    add(calls, "later device", kD,
        changed(tensor(dtype::kFloat32, {12}), [](DLTensor& d) { d.device = {kDLROCM, 1}; }));
    add(calls, "unknown device", kD,
        changed(tensor(dtype::kFloat32, {12}), [](DLTensor& d) { d.device = {static_cast<DLDeviceType>(31), 1}; }));
    add(calls, "no memory", kA, changed(tensor(dtype::kFloat32, {6, 16}), [](DLTensor& a) { a.data = nullptr; }));
    add(calls, "alignment", kA, changed(tensor(dtype::kFloat32, {6, 16}), [](DLTensor& a) { a.byte_offset = 2; }));
    add(calls, "not contiguous", kA, tensor(dtype::kFloat32, {6, 16}, {17, 1}));
    add(calls, "transposed", kA, tensor(dtype::kFloat32, {6, 16}, {1, 6}));
  }

  void add_extents(std::vector<NamedCall>& calls) {
    add(calls, "constant extent", kA, tensor(dtype::kFloat32, {6, 15}));
    add(calls, "constant extent of a nullable", kC, tensor(dtype::kInt8, {5, 3}));
    add(calls, "constant extent of storage", kE, tensor(dtype::kUInt8, {6, 8}));
    add(calls, "extent of storage beyond 64 bits", kE, tensor(dtype::kUInt8, {6, std::int64_t{1} << 62}, {4, 1}));
    add(calls, "extent of storage beyond 64 bits, negative", kE,
        tensor(dtype::kUInt8, {6, std::numeric_limits<std::int64_t>::min()}, {4, 1}));
    add(calls, "constant stride", kB, tensor(dtype::kFloat16, {6, 5}, {8, 2}));
    add(calls, "computed extent", kD, tensor(dtype::kFloat32, {13}));
    add(calls, "computed extent below zero", kN, -2);
    add(calls, "computed extent that divides by zero", kN, 1);
    add(calls, "computed extent of the other branch", kN, 3);
    add(calls, "computed stride", kG, tensor(dtype::kFloat8E4M3FN, {6, 2}, {4, 1}));
  }

  void add_symbols(std::vector<NamedCall>& calls) {
    add(calls, "extents disagree", kB, tensor(dtype::kFloat16, {7, 5}, {8, 1}));
    add(calls, "extents disagree with a nullable", kC, tensor(dtype::kInt8, {6, 4}));
    add(calls, "storage disagrees", kE, tensor(dtype::kUInt8, {5, 4}));
    add(calls, "no whole number", kF, tensor(dtype::kFloat32, {10}));
    add(calls, "negative extent", kA, tensor(dtype::kFloat32, {-1, 16}));
    add(calls, "too wide", kA, tensor(dtype::kFloat32, {std::int64_t{1} << 40, 16}));
    add(calls, "too wide where a later one disagrees", kB, tensor(dtype::kFloat16, {6, std::int64_t{1} << 40}, {8, 1}));
  }

  void add_scalars(std::vector<NamedCall>& calls) {
    add(calls, "float for int32", kN, 2.5);
    add(calls, "null for int32", kN, nullptr);
    add(calls, "tensor for int32", kN, tensor(dtype::kInt32, {2, 3}));
    add(calls, "pointer for int32", kN, static_cast<void*>(memory_.data()));
    add(calls, "int32 too large", kN, std::int64_t{1} << 31);
    add(calls, "uint8 too large", kU, 256);
    add(calls, "uint8 below zero", kU, -1);
    add(calls, "bool of two", kY, 2);
    add(calls, "integer that float32 cannot hold", kX, (std::int64_t{1} << 24) + 1);
    add(calls, "integer that float64 cannot hold", kW, (std::int64_t{1} << 53) + 1);
    add(calls, "integer that float16 cannot hold", kH, 2049);
    add(calls, "largest integer for float64", kW, std::numeric_limits<std::int64_t>::max());
    for (const double number :
         {0.1, 1e5, 1e-5, 0.001, 123456.789, 1e300, 5e-324, 1e21, 1e22, -0.0, 100.0, 1.7976931348623157e308,
          2.2250738585072014e-308, 123456789012345680.0, -12.5e-7, std::numeric_limits<double>::infinity(),
          -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
      add(calls, "number " + std::to_string(number), kN, number);
    }
    add(calls, "float for a pointer", kP, 1.0);
    add(calls, "bool for a pointer", kP, true);
  }

  alignas(64) std::array<char, 4096> memory_{};
  std::deque<std::vector<std::int64_t>> shapes_;
  std::deque<DLTensor> tensors_;
};

/// Returns the text that an exported library reports to callers of any language where the runtime reports `text` to C++
/// callers.
inline std::string in_no_language(std::string text) {
  const std::string_view ours = "Pass tensor.to(kernel.device()).";
  const std::size_t at = text.find(ours);
  return at == std::string::npos ? text : text.replace(at, ours.size(), "Pass a tensor that is there.");
}

}  // namespace kmux
