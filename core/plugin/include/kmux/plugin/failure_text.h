#pragma once

#include <string>

#include "kmux/error.h"
#include "kmux/plugin/plugin.h"

namespace kmux {

/// What the launch layer writes when it fails, as an `Error` of the sdk.
///
/// Lifetime: the sink borrows this.
class FailureText {
 public:
  /// Appends what is written to the text of this.
  kmux_sink sink();
  /// ok for code 0, else the error of what was written.
  Status status(int code) const;
  /// The error of what was written: unavailable, as where the driver cannot be opened.
  Error unavailable() const;

 private:
  std::string text_;
};

}  // namespace kmux
