#pragma once

#include <string>

#include "kmux/error.h"
#include "kmux/plugin/plugin.h"

namespace kmux {

/// Collects the error text of the launch layer and returns it as an `Error` of the sdk.
///
/// Lifetime: the sink is valid as long as this object.
class FailureText {
 public:
  /// Returns a sink that appends to the text.
  kmux_sink sink();
  /// Returns ok for code 0, else an error with the collected text.
  Status status(int code) const;
  /// Returns the collected text as an unavailable error, for example when the driver cannot be opened.
  Error unavailable() const;

 private:
  std::string text_;
};

}  // namespace kmux
