#pragma once

#include <Python.h>
#include <array>
#include <cstddef>
#include <cstdint>

#include <dlpack/dlpack.h>

namespace kmux::bridge {

/// An array of NumPy's as TVM-FFI's functions take tensors. It borrows the memory and copies the shape, which another thread
/// may change while the call has released the lock of the interpreter.
struct NumpyTensor {
  static constexpr int kMostDimensions = 8;

  DLTensor tensor;
  std::int64_t extents[kMostDimensions];
  std::int64_t strides[kMostDimensions];
};

namespace numpy {

// The beginnings of PyArray_Descr and PyArrayObject_fields, which are the same in NumPy 1 and 2: every extension module has
// their offsets compiled in (NumPy C API, "Python types and C structures").
struct Type {
  PyObject head;
  PyTypeObject* scalar;
  char kind;
  char letter;
  char byte_order;
  char flags;
  int number;
};

struct Array {
  PyObject head;
  char* data;
  int dimensions;
  std::intptr_t* extents;
  std::intptr_t* strides;  // in bytes
  PyObject* base;
  const Type* type;
  int flags;
};

constexpr int kWriteable = 0x0400;  // NPY_ARRAY_WRITEABLE

/// By NumPy's type numbers (enum NPY_TYPES, where long has 64 bits); those with 0 bits are no type of DLPack's.
constexpr std::array<DLDataType, 24> kTypes = [] {
  std::array<DLDataType, 24> types{};
  types[0] = {kDLBool, 8, 1};
  types[1] = {kDLInt, 8, 1};
  types[2] = {kDLUInt, 8, 1};
  types[3] = {kDLInt, 16, 1};
  types[4] = {kDLUInt, 16, 1};
  types[5] = {kDLInt, 32, 1};
  types[6] = {kDLUInt, 32, 1};
  types[7] = types[9] = {kDLInt, 64, 1};
  types[8] = types[10] = {kDLUInt, 64, 1};
  types[11] = {kDLFloat, 32, 1};
  types[12] = {kDLFloat, 64, 1};
  types[14] = {kDLComplex, 64, 1};
  types[15] = {kDLComplex, 128, 1};
  types[23] = {kDLFloat, 16, 1};
  return types;
}();

}  // namespace numpy

/// Reads an object whose type is exactly numpy.ndarray; false for what `__dlpack__` refuses, or what this does not know:
/// memory that must not be written, foreign byte order, strides that are no multiple of an element.
inline bool read_numpy(PyObject* object, NumpyTensor* place) noexcept {
  const auto& array = *reinterpret_cast<const numpy::Array*>(object);
  const auto number = static_cast<std::size_t>(array.type->number);
  if (number >= numpy::kTypes.size() || (array.type->byte_order != '=' && array.type->byte_order != '|')) return false;
  const DLDataType type = numpy::kTypes[number];
  if (type.bits == 0 || (array.flags & numpy::kWriteable) == 0) return false;
  if (array.dimensions > NumpyTensor::kMostDimensions) return false;
  const std::int64_t bytes = type.bits / 8;
  for (int i = 0; i < array.dimensions; ++i) {
    if (array.strides[i] % bytes != 0) return false;
    place->extents[i] = array.extents[i];
    place->strides[i] = array.strides[i] / bytes;
  }
  place->tensor = {array.data, {kDLCPU, 0}, array.dimensions, type, place->extents, place->strides, 0};
  return true;
}

}  // namespace kmux::bridge
