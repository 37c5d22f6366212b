// SPDX-License-Identifier: Apache-2.0
#include "kmux/guarded.h"

#include <exception>
#include <new>
#include <system_error>

namespace kmux {
namespace {

Error from_current() {
  try {
    throw;
  } catch (const Exception& error) {
    return error.error();
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  } catch (const std::system_error& error) {  // of files, threads, locks
    return make_error(ErrorCode::kUnavailable,
                      std::string("the system refused (") + error.what() + "). Check the path, its rights and limits.");
  } catch (const std::exception& error) {
    return make_error(ErrorCode::kInternal, "an exception was thrown that should not be (" + std::string(error.what()) +
                                                "). Please report this.");
  } catch (...) {
    return make_error(ErrorCode::kInternal, "an unknown exception was thrown. Please report this.");
  }
}

}  // namespace

Error out_of_memory() noexcept {
  try {
    return make_error(ErrorCode::kOutOfMemory,
                      "out of memory (the system or a limit refused more). Free some, or raise the limit.");
  } catch (const std::bad_alloc&) {
    return make_error(ErrorCode::kOutOfMemory, "out of memory");  // short enough to be held without an allocation
  }
}

Error error_in_flight() noexcept {
  try {
    return from_current();
  } catch (const std::bad_alloc&) {  // of the error's sentence
    return out_of_memory();
  }
}

}  // namespace kmux
