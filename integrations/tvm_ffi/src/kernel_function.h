#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/function.h>

#include "kmux/kernel.h"

#include "raised.h"

namespace kmux::bridge {

/// A kernel as a function of TVM-FFI.
///
/// Takes the parameters in order: tensors (TVM-FFI's own or DLTensor*), integers, floats, bools, addresses, None for a
/// null tensor. An integer for a floating-point scalar is rounded as a float is. With all parameters it launches and
/// returns None. Without the outputs that the signature declares it allocates and returns these, one as a tensor,
/// several as an array.
///
/// Stream:  that of TVM-FFI's environment for the device of the first tensor there, else for the kernel's.
/// Memory:  outputs come from the allocator of TVM-FFI's environment if there is one (torch's, for torch tensors).
/// Errors:  as Kernel::launch, an invalid argument as TypeError if its type is wrong, else as ValueError.
/// Threads: any, concurrently. A call that is given all parameters allocates nothing.
class KernelFunction final : public ffi::FunctionObj {
 public:
  static ffi::Function make(Kernel kernel);
  /// Returns the kernel of a function that `make` returned.
  ///
  /// Errors: TypeError for any other function.
  static const Kernel& kernel_of(const ffi::Function& function);
  /// Sets the kind of error that a wrong argument of that function raises from now on.
  ///
  /// Errors:  as `kernel_of`.
  /// Threads: must not run concurrently with calls.
  static void raise_for_arguments(const ffi::Function& function, std::string kind);

  /// Public for `make_object`.
  explicit KernelFunction(Kernel kernel);

  /// Converts `values` to the kernel's arguments and passes them and the stream to `use`.
  ///
  /// Errors: TypeError for a value that no kernel takes.
  template <class Use>
  void with_arguments(std::span<const TVMFFIAny> values, const Use& use) const;

 private:
  template <std::size_t kCount, class Use>
  void with_frame(std::span<const TVMFFIAny> values, const Use& use) const;
  template <class Use>
  void with_large_frame(std::span<const TVMFFIAny> values, const Use& use) const;
  static int call(void* self, const TVMFFIAny* values, std::int32_t count, TVMFFIAny* result) noexcept;
  void run(std::span<const Arg> args, StreamRef stream, TVMFFIAny* result) const;
  ffi::Any outputs_of(std::span<const Arg> inputs, StreamRef stream) const;
  StreamRef read(std::span<const TVMFFIAny> values, Arg* args) const;
  StreamRef stream_on(int ordinal) const;
  std::span<const Param* const> params_for(std::size_t count) const;
  std::span<const std::size_t> floats_for(std::size_t count) const;
  bool read_rounded(const TVMFFIAny& value, std::size_t index, std::size_t count, Arg* place) const;
  void round_integers(std::size_t count, Arg* args) const;
  ffi::Error not_an_argument(const TVMFFIAny& value, std::size_t index, std::size_t count) const;
  ffi::Error wrong_count(std::size_t count) const;
  ffi::Error wrong(std::string message) const;
  ffi::Error refused(const Error& error, std::span<const Arg> args) const;

  Kernel kernel_;
  DLDevice device_;
  bool has_pointers_ = false;
  std::vector<std::size_t> float_params_;  // places of the floating-point scalars among params_
  std::vector<std::size_t> float_inputs_;  // among inputs_
  std::vector<const Param*> params_;
  std::vector<const Param*> inputs_;  // without the outputs
  std::string argument_error_;  // the kind of error that a wrong argument is; empty: TypeError or ValueError
};

/// Calls `kernel_of(function).tune` with these values.
Result<Tuning> tune(const ffi::Function& function, std::span<const TVMFFIAny> values, const TuneOptions& options);

}  // namespace kmux::bridge
