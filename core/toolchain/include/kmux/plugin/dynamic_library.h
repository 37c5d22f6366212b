#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kmux/error.h"

namespace kmux {

/// A driver or another shared library, opened at run time (`now`, `local`).
///
/// Threads: any.   Lifetime: closed with the last copy.
class DynamicLibrary {
 public:
  /// Opens the first of `names` that loads.
  ///
  /// Errors: unavailable that lists every name with the loader's own text.
  static Result<DynamicLibrary> open(const std::vector<std::string>& names);

  /// The address of `name`.
  ///
  /// Errors: unavailable that names the symbol and the library.
  Result<void*> symbol(const std::string& name) const;

  /// As `symbol`, typed: `auto init = library.function<int(unsigned)>("cuInit")`.
  template <class Signature>
  Result<Signature*> function(const std::string& name) const {
    KMUX_ASSIGN(void* address, symbol(name));
    return reinterpret_cast<Signature*>(address);
  }

  const std::string& name() const { return name_; }

 private:
  DynamicLibrary(std::shared_ptr<void> handle, std::string name) : handle_(std::move(handle)), name_(std::move(name)) {}
  std::shared_ptr<void> handle_;
  std::string name_;
};

}  // namespace kmux
