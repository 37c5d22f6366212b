#pragma once

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call_arguments.h"

// The functions of libtvm_ffi that are used if the process has it. They are weak: without libtvm_ffi both are null, and
// the library neither needs nor loads it.
extern "C" {
__attribute__((weak, visibility("default"))) void TVMFFIErrorSetRaisedFromCStr(const char* kind, const char* message);
__attribute__((weak, visibility("default"))) void* TVMFFIEnvGetStream(int device_type, int device_id);
}

namespace kmux {

// The errors of invalid arguments, word for word those of the runtime except for language-specific advice, since the
// caller may be C. Only printed: must use C++17 and libc only.

/// Writes text to a sink, piece by piece.
///
/// Lifetime: borrows the target of the sink.
class ErrorText {
 public:
  explicit ErrorText(kmux_sink sink) : sink_(sink) {}

  ErrorText& operator<<(const char* text) {
    sink_.write(sink_.self, text, strlen(text));
    return *this;
  }
  ErrorText& operator<<(long long number) { return print("%lld", number); }
  ErrorText& operator<<(long number) { return print("%lld", static_cast<long long>(number)); }
  ErrorText& operator<<(int number) { return print("%lld", static_cast<long long>(number)); }
  ErrorText& operator<<(double number);
  ErrorText& operator<<(DLDataType type);
  ErrorText& operator<<(DLDevice device);
  ErrorText& operator<<(const DLTensor& tensor);
  ErrorText& operator<<(const TVMFFIAny& arg);

  template <class Number>
  ErrorText& print(const char* format, Number number) {
    char text[48];
    snprintf(text, sizeof text, format, number);
    return *this << text;
  }

 private:
  kmux_sink sink_;
};

/// The fewest digits that read back as `number`, and the exponent: 0.d1d2... times ten to `exponent`.
struct ShortestDigits {
  char digits[20] = {};
  int count = 0;
  int exponent = 0;
  explicit ShortestDigits(double number) {
    char text[40];
    int precision = 0;
    do {
      snprintf(text, sizeof text, "%.*e", precision, number);
    } while (strtod(text, nullptr) != number && ++precision < 17);
    const char* place = text;
    for (; *place != 'e'; ++place) {  // skips the decimal point of any locale
      if (isdigit(static_cast<unsigned char>(*place)) != 0) digits[count++] = *place;
    }
    exponent = atoi(place + 1) + 1;
  }
};

/// Writes, as std::to_chars, the shortest text that reads back as `number`; without an exponent if that is no longer.
inline ErrorText& ErrorText::operator<<(double number) {
  if (__builtin_signbit(number) != 0) *this << "-";
  if (__builtin_isnan(number)) return *this << "nan";
  if (__builtin_isinf(number)) return *this << "inf";
  const ShortestDigits shortest(fabs(number));
  const int count = shortest.count;
  const int power = shortest.exponent - 1;
  const int scientific = count + (count > 1 ? 1 : 0) + (power <= -100 || power >= 100 ? 5 : 4);
  const int zeros = power < 0 ? -power - 1 : 0;
  const int plain = power < 0 ? 2 + zeros + count : power + 1 > count ? power + 1 : count + (count > power + 1 ? 1 : 0);
  char first[2] = {shortest.digits[0], '\0'};
  if (scientific < plain) {
    *this << first << (count > 1 ? "." : "") << shortest.digits + 1 << (power < 0 ? "e-" : "e+");
    return print("%02d", power < 0 ? -power : power);
  }
  if (power >= count - 1) return print("%.0f", fabs(number));
  if (power < 0) *this << "0.";
  for (int i = 0; i < zeros; ++i) *this << "0";
  for (int i = 0; i < count; ++i) {
    first[0] = shortest.digits[i];
    *this << first << (i == power ? "." : "");
  }
  return *this;
}

inline ErrorText& ErrorText::operator<<(DLDataType type) {
  const char* const name = dtype_name(type);
  if (name != nullptr) {
    *this << name;
  } else {
    *this << "dtype_" << int{type.code} << "_" << int{type.bits};
  }
  return type.lanes == 1 ? *this : *this << "x" << int{type.lanes};
}

inline ErrorText& ErrorText::operator<<(DLDevice device) {
  if (device.device_type == kDLCPU) return *this << "cpu";
  const char* const name = device_type_name(device.device_type);
  if (name != nullptr) return *this << name << ":" << device.device_id;
  return *this << "device type " << static_cast<int>(device.device_type) << ", ordinal " << device.device_id;
}

inline ErrorText& ErrorText::operator<<(const DLTensor& tensor) {
  *this << tensor.dtype << "[";
  if (lacks_shape(tensor)) return *this << "?]";
  for (int32_t dim = 0; dim < tensor.ndim; ++dim) *this << (dim == 0 ? "" : ", ") << tensor.shape[dim];
  return *this << "]";
}

inline ErrorText& ErrorText::operator<<(const TVMFFIAny& arg) {
  const DLTensor* tensor = nullptr;
  if (read_tensor(arg, tensor)) return tensor == nullptr ? *this << "a null tensor" : *this << "a tensor " << *tensor;
  switch (arg.type_index) {
    case kTVMFFIInt:
      return *this << "the integer " << arg.v_int64;
    case kTVMFFIFloat:
      return *this << "the number " << arg.v_float64;
    case kTVMFFIBool:
      return *this << (arg.v_int64 != 0 ? "true" : "false");
    case kTVMFFIOpaquePtr:
      return *this << "a pointer";
    default:
      return *this << "a value of TVM-FFI type " << arg.type_index;
  }
}

inline void say_parameter(ErrorText& out, const char* name) { out << "parameter \"" << name << "\""; }
inline void pass_wanted(ErrorText& out, const TensorForm& form) { out << " Pass a tensor of " << form.wanted << "."; }

inline void explain_memory(ErrorText& out, const DLTensor& tensor, const TensorForm& form, CallDevice device,
                           int device_type) {
  const bool is_first = !device.is_chosen();
  if (!device.accepts(tensor.device)) {
    const DLDevice place{static_cast<DLDeviceType>(device_type), device.ordinal()};
    out << " is on " << tensor.device << (is_first ? " (the kernel runs on " : " (the tensors before it are on ")
        << place << (is_first ? "). Pass a tensor that is there." : "). Pass tensors of one device.");
  } else if (address_of(tensor) == nullptr) {
    out << " has no memory (its data is null, but " << tensor
        << " has elements). Pass memory, or a tensor without elements.";
  } else {
    const uint64_t address = reinterpret_cast<uintptr_t>(address_of(tensor));
    out << " is not aligned to " << form.alignment << " bytes (its offset is "
        << static_cast<long>(address % static_cast<uint64_t>(form.alignment)) << "). Pass aligned memory or a copy.";
  }
}

/// Explains why an argument is not a valid tensor. `device` is the choice of the earlier tensors.
inline void explain_tensor(ErrorText& out, const TVMFFIAny& arg, const TensorForm& form, const CallDevice& device,
                           int device_type) {
  const DLTensor* tensor = nullptr;
  say_parameter(out, form.name);
  if (!read_tensor(arg, tensor)) {
    out << " is " << arg << " (expected a tensor).";
    return pass_wanted(out, form);
  }
  if (tensor == nullptr) {
    out << " is null (a kernel uses it).";
    return pass_wanted(out, form);
  }
  if (tensor->ndim != form.rank) {
    out << " has " << tensor->ndim << " dimensions (expected " << form.rank << ").";
    return pass_wanted(out, form);
  }
  if (lacks_shape(*tensor)) {
    out << " has no shape (it is null, and the tensor has " << tensor->ndim << " dimensions).";
    return pass_wanted(out, form);
  }
  if (!is_compatible(form.dtype, tensor->dtype) && !is_storage_of(form.dtype, tensor->dtype)) {
    out << " has dtype " << tensor->dtype << " (expected " << form.dtype << ").";
    return pass_wanted(out, form);
  }
  explain_memory(out, *tensor, form, device, device_type);
}

inline void explain_scalar(ErrorText& out, const TVMFFIAny& arg, const char* name, DLDataType type) {
  say_parameter(out, name);
  out << " is " << arg << " (expected a " << type << " scalar). Pass a value that it can hold.";
}

inline void explain_scalar_value(ErrorText& out, const TVMFFIAny& arg, const char* name) {
  say_parameter(out, name);
  out << " is " << arg << " (an expression uses it as int64). Pass a value that fits.";
}

inline void explain_pointer(ErrorText& out, const TVMFFIAny& arg, const char* name) {
  say_parameter(out, name);
  out << " is " << arg << " (expected a pointer). Pass an address.";
}

inline void explain_contiguous(ErrorText& out, const DLTensor& tensor, const TensorForm& form) {
  out << "Expected ";
  say_parameter(out, form.name);
  out << " to be a contiguous tensor (it is " << tensor << " with strides [";
  for (int32_t dim = 0; dim < tensor.ndim; ++dim) out << (dim == 0 ? "" : ", ") << tensor.strides[dim];
  out << "]). Pass a contiguous copy.";
}

/// Begins the error of an extent. The caller must then write the expected value and call `end_extent`.
inline void begin_extent(ErrorText& out, const DLTensor& tensor, const TensorForm& form, int32_t dim) {
  say_parameter(out, form.name);
  out << " has shape[" << dim << "] = " << extent_of(tensor, dim, form.packing) << " (expected ";
}

inline void end_extent(ErrorText& out, const TensorForm& form) {
  out << ").";
  pass_wanted(out, form);
}

inline void begin_stride(ErrorText& out, const DLTensor& tensor, const TensorForm& form, int32_t dim) {
  say_parameter(out, form.name);
  out << " has strides[" << dim << "] = " << stride_of(tensor, dim, form.packing) << " (expected ";
}

inline void end_stride(ErrorText& out) { out << "). Pass a tensor of that layout."; }

/// Explains why an expression over the values of the call has no value; `expr` is the part that fails.
/// `fault` is a code of the checked arithmetic of launchers; `operand` is the operand of a cast.
inline void explain_no_size(ErrorText& out, const TensorForm& form, const char* expr, int fault, long long operand) {
  constexpr int kNoFit = 4;
  const char* const reasons[] = {"", "the value does not fit into 64 bits", "division by zero",
                                 "a shift count outside 0..63"};
  say_parameter(out, form.name);
  out << " has no size: cannot evaluate \"" << expr << "\" (";
  if (fault == kNoFit) {
    out << "the value " << operand << " does not fit";
  } else {
    out << reasons[fault];
  }
  out << "). Pass arguments for which it has a value.";
}

/// A symbol of the signature: its carriers and, for each, the name of the parameter and the expression there.
struct SymbolForm {
  const char* name;
  Carriers carriers;
  const char* const* params;
  const char* const* exprs;
  bool narrow;
};

inline void say_place(ErrorText& out, const Carrier& carrier) {
  const bool is_extent = carrier.source == Carrier::Source::kExtent;
  out << (is_extent ? "shape[" : "strides[") << int{carrier.dim} << "]";
}

inline void say_statement(ErrorText& out, const SymbolForm& symbol, const Carrier& carrier, const TVMFFIAny* args) {
  say_parameter(out, symbol.params[&carrier - symbol.carriers.first]);
  out << " has ";
  say_place(out, carrier);
  out << " = " << carried(carrier, *tensor_or_null(args[carrier.param]));
}

inline void explain_no_carrier(ErrorText& out, const SymbolForm& symbol) {
  out << "symbol \"" << symbol.name << "\" requires at least one non-null tensor among ";
  for (size_t i = 0; i < symbol.carriers.count; ++i) {
    bool is_new = true;
    for (size_t j = 0; j < i; ++j) is_new = is_new && strcmp(symbol.params[i], symbol.params[j]) != 0;
    if (is_new) out << (i == 0 ? "\"" : ", \"") << symbol.params[i] << "\"";
  }
  out << " (they carry it). Pass one of them.";
}

inline void explain_symbol(ErrorText& out, const SymbolForm& symbol, const TVMFFIAny* args) {
  const auto tensor_of = [args](size_t param) { return tensor_or_null(args[param]); };
  const SymbolBinding binding = bind_symbol(symbol.carriers, tensor_of, symbol.narrow);
  if (binding.fault == SymbolFault::kNoCarrier) return explain_no_carrier(out, symbol);
  if (binding.fault == SymbolFault::kTooWide) {
    say_statement(out, symbol, *binding.source, args);
    out << ", so " << symbol.name << " = " << binding.value << " (expected int32). Pass a smaller tensor.";
    return;
  }
  say_statement(out, symbol, *binding.culprit, args);
  if (binding.fault == SymbolFault::kNegative) {
    out << " (an extent is not negative). Pass a tensor with a valid shape.";
    return;
  }
  out << " (expected " << symbol.exprs[binding.culprit - symbol.carriers.first] << ", and ";
  if (binding.fault == SymbolFault::kNoSolution) {
    out << "no integer " << symbol.name << " gives that). Pass a tensor of a size that fits.";
    return;
  }
  out << symbol.name << " = " << binding.value << " from ";
  say_place(out, *binding.source);
  out << " of \"" << symbol.params[binding.source - symbol.carriers.first] << "\"). Pass tensors that agree.";
}

/// Explains a wrong number of arguments, or a null array.
inline void explain_count(ErrorText& out, int expected, int actual, const char* names) {
  out << "expected " << expected << " arguments, got ";
  if (actual == expected) {
    out << "a null array (they are ";
  } else {
    out << actual << " (they are ";
  }
  out << names << "). Pass one of each, in this order.";
}

}  // namespace kmux
