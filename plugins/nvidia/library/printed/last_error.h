#pragma once

#include <string.h>

#include "kmux/plugin/plugin.h"

namespace kmux::nvidia {

/// What went wrong in the last call of a thread, for `get_last_error`. A text that is too long is cut.
///
/// Threads: one.   Lifetime: that of its thread; all zero is a valid state.
class LastError {
 public:
  void clear() { text_[size_ = 0] = '\0'; }
  const char* text() const { return text_; }
  kmux_sink sink() { return {this, &LastError::write}; }

 private:
  static void write(void* self, const char* data, size_t size) {
    LastError& error = *static_cast<LastError*>(self);
    const size_t room = sizeof error.text_ - 1 - error.size_;
    const size_t count = size < room ? size : room;
    memcpy(error.text_ + error.size_, data, count);
    error.text_[error.size_ += count] = '\0';
  }

  size_t size_;
  char text_[4096];
};

}  // namespace kmux::nvidia
