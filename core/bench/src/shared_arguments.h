#pragma once

#include <memory>
#include <vector>

#include "kmux/bench/call_arguments.h"

namespace kmux::bench {

/// The arguments of a contest, one set a device: equal tensors at other addresses differ by more than a verdict forgives, so
/// all contestants of a device are called with the same.
///
/// Lifetime: borrows what it is made from; what it hands out lives as long as it does.
class SharedArguments {
 public:
  SharedArguments(const Program& program, const Inputs& inputs, const Binding& binding)
      : program_(program), inputs_(inputs), binding_(binding) {}

  /// The arguments on `device`, made when they are first asked for.
  ///
  /// Errors: as `CallArguments::make`.
  Result<CallArguments*> on(const Device& device);

 private:
  struct Set {
    Device device;
    std::unique_ptr<CallArguments> arguments;
  };
  const Program& program_;
  const Inputs& inputs_;
  const Binding& binding_;
  std::vector<Set> sets_;
};

}  // namespace kmux::bench
