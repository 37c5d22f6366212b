#pragma once

#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "kmux/guarded.h"
#include "kmux/plugin/plugin.hpp"
#include "kmux/plugin/sink.h"

namespace kmux {

inline std::string_view view(kmux_bytes bytes) { return {bytes.data, bytes.size}; }

/// Runs `body` (-> Status). Writes its error, or any exception, to `error` and returns the code.
template <class Body>
kmux_code guard(kmux_sink error, Body body) noexcept {
  try {
    const Status status = body();
    return status ? KMUX_OK : write_error(status.error(), error);
  } catch (const Exception& exception) {
    return write_error(exception.error(), error);
  } catch (const std::bad_alloc&) {
    write(error, out_of_memory().message);
    return KMUX_OUT_OF_MEMORY;
  } catch (const std::exception& exception) {
    write(error, "the plugin threw an exception (");
    write(error, exception.what());
  } catch (...) {
    write(error, "the plugin threw an exception (of unknown type");
  }
  write(error, "). This is a bug of the plugin; report it to its author.");
  return KMUX_INTERNAL;
}

}  // namespace kmux
