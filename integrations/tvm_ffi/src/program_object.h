#pragma once

#include <tvm/ffi/memory.h>
#include <tvm/ffi/object.h>

#include "kmux/dispatch.h"
#include "kmux/resolver.h"

#include "raised.h"

namespace kmux::bridge {

/// A program that other languages hold; immutable.
class ProgramObj final : public ffi::Object {
 public:
  explicit ProgramObj(Program given) : program(std::move(given)) {}
  const Program program;

  static constexpr bool _type_mutable = false;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("kmux.Program", ProgramObj, ffi::Object);
};

class ProgramRef final : public ffi::ObjectRef {
 public:
  explicit ProgramRef(Program program) : ObjectRef(ffi::make_object<ProgramObj>(std::move(program))) {}
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(ProgramRef, ffi::ObjectRef, ProgramObj);
};

/// A resolution that other languages hold; immutable.
class ResolutionObj final : public ffi::Object {
 public:
  explicit ResolutionObj(Resolution given) : resolution(std::move(given)) {}
  const Resolution resolution;

  static constexpr bool _type_mutable = false;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("kmux.Resolution", ResolutionObj, ffi::Object);
};

class ResolutionRef final : public ffi::ObjectRef {
 public:
  explicit ResolutionRef(Resolution resolution) : ObjectRef(ffi::make_object<ResolutionObj>(std::move(resolution))) {}
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(ResolutionRef, ffi::ObjectRef, ResolutionObj);
};

}  // namespace kmux::bridge
