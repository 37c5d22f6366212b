#include "kmux/plugin/failure_text.h"

#include "kmux/plugin/plugin.hpp"

namespace kmux {

kmux_sink FailureText::sink() {
  return {&text_,
          [](void* self, const char* data, std::size_t size) { static_cast<std::string*>(self)->append(data, size); }};
}

Status FailureText::status(int code) const {
  if (code == KMUX_OK) return Ok{};
  return read_error(code, text_);
}

Error FailureText::unavailable() const { return read_error(KMUX_UNAVAILABLE, text_); }

}  // namespace kmux
