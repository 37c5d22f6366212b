// kmux_python.abi3.so: type DirectFunction, a function of TVM-FFI that reads NumPy's arrays itself. TVM-FFI calls an
// array's `__dlpack__`, which makes several objects: three times as long as the rest of a call. Also `launch`, a call
// of TVM-FFI's that takes arguments by name. Uses only the stable ABI, so that one file serves every Python from 3.10
// on; without it, the package calls as TVM-FFI does.
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030A0000
#include <Python.h>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <tvm/ffi/c_api.h>

namespace kmux::bridge {
namespace {

/// A NumPy array in the form in which TVM-FFI's functions take tensors. Borrows the memory but copies the shape, which
/// another thread may change while the call has released the lock of the interpreter.
struct NumpyTensor {
  static constexpr int kMaxDimensions = 8;

  DLTensor tensor;
  std::int64_t extents[kMaxDimensions];
  std::int64_t strides[kMaxDimensions];
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

/// DLPack's types by NumPy's type numbers (enum NPY_TYPES, where long has 64 bits); 0 bits: no type of DLPack's.
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

constexpr std::size_t kFirstOfOthers = 256;  // NPY_USERDEF: types that packages add are numbered from there on

/// Types of known packages (ml_dtypes), by their numbers from kFirstOfOthers on.
std::array<DLDataType, 64> types_of_others{};

/// Returns the DLPack type of a NumPy type number; 0 bits if it has none or belongs to an unknown package.
DLDataType type_of(std::size_t number) noexcept {
  if (number < kTypes.size()) [[likely]]
    return kTypes[number];
  const std::size_t place = number - kFirstOfOthers;  // of smaller ones it is beyond the end
  return place < types_of_others.size() ? types_of_others[place] : DLDataType{};
}

}  // namespace numpy

/// Reads an object whose type must be exactly numpy.ndarray. Returns false for arrays that `__dlpack__` refuses or that
/// are not supported here: read-only memory, foreign byte order, strides that are not a multiple of an element.
bool read_numpy(PyObject* object, NumpyTensor* place) noexcept {
  const auto& array = *reinterpret_cast<const numpy::Array*>(object);
  if (array.type->byte_order != '=' && array.type->byte_order != '|') return false;
  const DLDataType type = numpy::type_of(static_cast<std::size_t>(array.type->number));
  if (type.bits == 0 || (array.flags & numpy::kWriteable) == 0) return false;
  if (array.dimensions > NumpyTensor::kMaxDimensions) return false;
  const std::int64_t bytes = type.bits / 8;
  for (int i = 0; i < array.dimensions; ++i) {
    if (array.strides[i] % bytes != 0) return false;
    place->extents[i] = array.extents[i];
    place->strides[i] = array.strides[i] / bytes;
  }
  place->tensor = {array.data, {kDLCPU, 0}, array.dimensions, type, place->extents, place->strides, 0};
  return true;
}

constexpr Py_ssize_t kMaxArguments = 24;  // more of them go TVM-FFI's way

struct Frame {
  TVMFFIAny values[kMaxArguments];
  NumpyTensor tensors[kMaxArguments];
};

/// A type whose values cannot be read-only. Those of torch have a word of bits that is not 0 in `lazy` for a view whose
/// memory does not hold its values (kmux/_torch_views.py); other types have no such bits.
struct PlainType {
  PyTypeObject* type = nullptr;
  Py_ssize_t state = 0;  // offset in an object of the address of the state with that word
  Py_ssize_t word = 0;  // offset in the state
  unsigned long long lazy = 0;
};

// State that `make` sets; it runs once, under the lock of the interpreter.
struct {
  PyTypeObject* array = nullptr;  // numpy.ndarray; null before the program has imported NumPy
  ternaryfunc call = nullptr;  // that of tvm_ffi.Function
  PyObject* by_name = nullptr;  // calls an object with arguments of which some have names: (object, tuple, dict)
  PyObject* launch_by_name = nullptr;  // the same, of `launch`
  PyObject* look = nullptr;  // calls as TVM-FFI does, after checking for read-only arguments: (object, tuple)
  PyObject* raise = nullptr;  // a tvm_ffi.Function that fails with this thread's latest error
  Py_ssize_t offset = 0;  // of the function's handle in an object
  std::array<PlainType, 16> plain = {};  // some of them
  std::size_t plain_count = 0;
} known;

TVMFFIObjectHandle& handle_of(PyObject* self) {
  return *reinterpret_cast<TVMFFIObjectHandle*>(reinterpret_cast<char*>(self) + known.offset);
}

bool set_integer(PyObject* object, TVMFFIAny* value) noexcept {
  int overflow = 0;
  value->type_index = kTVMFFIInt;
  value->v_int64 = PyLong_AsLongLongAndOverflow(object, &overflow);
  return overflow == 0;
}

bool set_float(PyObject* object, TVMFFIAny* value) noexcept {
  value->type_index = kTVMFFIFloat;
  value->v_float64 = PyFloat_AsDouble(object);
  return true;
}

bool set_array(PyObject* object, TVMFFIAny* value, NumpyTensor* tensor) noexcept {
  value->type_index = kTVMFFIDLTensorPtr;
  value->v_ptr = &tensor->tensor;
  return read_numpy(object, tensor);
}

/// Converts an argument to a value. Returns false if TVM-FFI must convert it.
bool set(PyObject* object, TVMFFIAny* value, NumpyTensor* tensor) noexcept {
  const PyTypeObject* type = Py_TYPE(object);
  value->zero_padding = 0;
  if (type == known.array) return set_array(object, value, tensor);
  if (type == &PyFloat_Type) return set_float(object, value);
  return type == &PyLong_Type && set_integer(object, value);
}

bool set_all(PyObject* arguments, Py_ssize_t count, Frame* frame) noexcept {
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (!set(PyTuple_GetItem(arguments, i), frame->values + i, frame->tensors + i)) return false;
  }
  return true;
}

/// Raises the error that the function left behind, as TVM-FFI does.
PyObject* failed() {
  PyObject* const nothing = PyTuple_New(0);
  PyObject* const result = nothing == nullptr ? nullptr : known.call(known.raise, nothing, nullptr);
  Py_XDECREF(nothing);
  return result;
}

/// Returns the T at `offset` bytes behind `place`.
template <class T>
T word_at(const void* place, Py_ssize_t offset) noexcept {
  T word;
  std::memcpy(static_cast<void*>(&word), static_cast<const char*>(place) + offset, sizeof word);
  return word;
}

/// Returns false for a view whose memory does not hold its values.
bool holds_its_values(const PlainType& type, const PyObject* object) noexcept {
  if (type.lazy == 0) return true;
  const void* const state = word_at<const void*>(object, type.state);
  return state != nullptr && (word_at<std::uint64_t>(state, type.word) & type.lazy) == 0;
}

/// Returns true if TVM-FFI certainly takes the object and it is certainly writable.
bool is_plain(PyObject* object) {
  NumpyTensor unused;
  if (Py_TYPE(object) == known.array) {  // for other arrays the package reports the reason
    const int number = reinterpret_cast<const numpy::Array*>(object)->type->number;
    return static_cast<std::size_t>(number) < numpy::kTypes.size() && read_numpy(object, &unused);
  }
  for (std::size_t i = 0; i < known.plain_count; ++i) {
    if (known.plain[i].type == Py_TYPE(object)) return holds_its_values(known.plain[i], object);
  }
  return false;
}

/// Calls as TVM-FFI does, after the package has checked arguments that may be read-only.
PyObject* call_plainly(PyObject* self, PyObject* arguments) {
  const Py_ssize_t count = PyTuple_Size(arguments);
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (!is_plain(PyTuple_GetItem(arguments, i)))
      return PyObject_CallFunctionObjArgs(known.look, self, arguments, nullptr);
  }
  PyObject* const result = known.call(self, arguments, nullptr);
  if (result != nullptr || PyErr_ExceptionMatches(PyExc_OverflowError) == 0) return result;
  PyErr_Clear();  // an integer that this release of TVM-FFI does not take: the package rounds or names it
  return PyObject_CallFunctionObjArgs(known.look, self, arguments, nullptr);
}

/// Returns true if a call has named arguments: `kernel(*arguments, **named)` may have none.
bool has_names(PyObject* names) { return names != nullptr && PyDict_Size(names) > 0; }

PyObject* launch(PyObject* self, PyObject* arguments, PyObject* names) {
  if (!has_names(names)) return call_plainly(self, arguments);
  return PyObject_CallFunctionObjArgs(known.launch_by_name, self, arguments, names, nullptr);
}

PyObject* call(PyObject* self, PyObject* arguments, PyObject* names) {
  if (!has_names(names)) names = nullptr;
  if (names != nullptr) return PyObject_CallFunctionObjArgs(known.by_name, self, arguments, names, nullptr);
  const TVMFFIObjectHandle handle = handle_of(self);
  const Py_ssize_t count = PyTuple_Size(arguments);
  Frame frame;  // not initialised: `set_all` writes the used part
  if (handle == nullptr || count > kMaxArguments || !set_all(arguments, count, &frame)) {
    return call_plainly(self, arguments);
  }
  TVMFFIAny result{};
  PyThreadState* const state = PyEval_SaveThread();
  const int code =
      TVMFFIFunctionGetCellPtr(handle)->safe_call(handle, frame.values, static_cast<std::int32_t>(count), &result);
  PyEval_RestoreThread(state);
  if (code != 0) return failed();
  Py_RETURN_NONE;
}

/// direct(address): from now on, calls the function at `address` directly. This object owns its handle; the function
/// must return nothing.
PyObject* direct(PyObject* self, PyObject* address) {
  void* const handle = PyLong_AsVoidPtr(address);
  if (handle == nullptr) return PyErr_Occurred() != nullptr ? nullptr : PyErr_Format(PyExc_ValueError, "no function");
  handle_of(self) = handle;
  Py_RETURN_NONE;
}

PyMethodDef methods[] = {{"_direct", direct, METH_O, nullptr}, {nullptr, nullptr, 0, nullptr}};

PyType_Slot slots[] = {{Py_tp_call, reinterpret_cast<void*>(call)}, {Py_tp_methods, methods}, {0, nullptr}};

Py_ssize_t size_of(PyObject* type) {
  PyObject* const size = PyObject_GetAttrString(type, "__basicsize__");
  const Py_ssize_t bytes = size == nullptr ? -1 : PyLong_AsSsize_t(size);
  Py_XDECREF(size);
  return bytes;
}

PyCFunction with_keywords(PyObject* (*function)(PyObject*, PyObject*, PyObject*)) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));  // as Python's headers have them
}

PyMethodDef launch_method{"launch", with_keywords(launch), METH_VARARGS | METH_KEYWORDS,
                          "launch(*arguments, **named): as TVM-FFI calls, or by the names of the parameters."};

/// make(function, raise, by_name, launch_by_name, look): returns the type, derived from tvm_ffi.Function, and `launch`
/// for other derived classes.
PyObject* make(PyObject*, PyObject* arguments) {
  PyObject* function = nullptr;
  if (PyArg_ParseTuple(arguments, "OOOOO", &function, &known.raise, &known.by_name, &known.launch_by_name,
                       &known.look) == 0)
    return nullptr;
  const Py_ssize_t size = size_of(function);
  if (size < 0) return nullptr;
  known.offset = (size + Py_ssize_t{sizeof(void*)} - 1) / Py_ssize_t{sizeof(void*)} * Py_ssize_t{sizeof(void*)};
  known.call = reinterpret_cast<ternaryfunc>(PyType_GetSlot(reinterpret_cast<PyTypeObject*>(function), Py_tp_call));
  if (known.call == nullptr) return nullptr;
  for (PyObject* kept : {known.raise, known.by_name, known.launch_by_name, known.look}) Py_INCREF(kept);
  PyType_Spec spec{"kmux._function.DirectFunction", static_cast<int>(known.offset + Py_ssize_t{sizeof(void*)}), 0,
                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  PyObject* const bases = PyTuple_Pack(1, function);
  PyObject* const type = bases == nullptr ? nullptr : PyType_FromSpecWithBases(&spec, bases);
  Py_XDECREF(bases);
  PyObject* const method = PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(function), &launch_method);
  PyObject* const made = type == nullptr || method == nullptr ? nullptr : PyTuple_Pack(2, type, method);
  Py_XDECREF(type);
  Py_XDECREF(method);
  return made;
}

/// read(array): reads objects of type `array`, which must be numpy.ndarray, from now on.
PyObject* read(PyObject*, PyObject* array) {
  Py_INCREF(array);
  known.array = reinterpret_cast<PyTypeObject*>(array);
  Py_RETURN_NONE;
}

/// read_type(number, code, bits): reads arrays of the NumPy type of that number, which a package added, as DLPack's
/// type. Numbers beyond the table are left to the package, at each call.
PyObject* read_type(PyObject*, PyObject* arguments) {
  Py_ssize_t number = 0;
  int code = 0;
  int bits = 0;
  if (PyArg_ParseTuple(arguments, "nii", &number, &code, &bits) == 0) return nullptr;
  const std::size_t place = static_cast<std::size_t>(number) - numpy::kFirstOfOthers;
  if (place < numpy::types_of_others.size()) {
    numpy::types_of_others[place] = {static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(bits), 1};
  }
  Py_RETURN_NONE;
}

/// plain(type, state, word, lazy): declares that values of that type cannot be read-only. The numbers, which may be left
/// out, are those of PlainType. Types beyond the table are checked at each call.
PyObject* plain(PyObject*, PyObject* arguments) {
  PyObject* type = nullptr;
  PlainType made;
  if (PyArg_ParseTuple(arguments, "O|nnK", &type, &made.state, &made.word, &made.lazy) == 0) return nullptr;
  made.type = reinterpret_cast<PyTypeObject*>(type);
  if (known.plain_count < known.plain.size()) {
    Py_INCREF(type);
    known.plain[known.plain_count++] = made;
  }
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {{"make", make, METH_VARARGS, nullptr},
                           {"read", read, METH_O, nullptr},
                           {"read_type", read_type, METH_VARARGS, nullptr},
                           {"plain", plain, METH_VARARGS, nullptr},
                           {nullptr, nullptr, 0, nullptr}};

PyModuleDef module{PyModuleDef_HEAD_INIT, "kmux_python", nullptr, -1, functions, nullptr, nullptr, nullptr, nullptr};

}  // namespace
}  // namespace kmux::bridge

PyMODINIT_FUNC PyInit_kmux_python() { return PyModule_Create(&kmux::bridge::module); }
