#pragma once

#include "kmux/error.h"

namespace kmux::cli {

/// How `kmux` ends; documented in `kmux --help`.
enum ExitCode : int {
  kSuccess = 0,
  kCheckFailed = 1,   // --check or `cache verify` found a difference
  kUsage = 2,         // the command line itself is wrong
  kBadInput = 3,      // a program, tensor, file or value is wrong
  kNotHere = 4,       // no backend can do it on this machine
  kCompileError = 5,  // the compiler refused the sources
  kLaunchError = 6,   // the kernel or the device failed
  kBug = 7,           // kmux or a plugin broke its promises
  kInterrupted = 130,  // by Ctrl-C or SIGTERM, as a shell has it
};

constexpr ExitCode exit_code(ErrorCode code) {
  switch (code) {
    case ErrorCode::kOk:
      return kSuccess;
    case ErrorCode::kInvalidArgument:
      return kBadInput;
    case ErrorCode::kUnsupported:
    case ErrorCode::kUnavailable:
      return kNotHere;
    case ErrorCode::kCompileFailed:
      return kCompileError;
    case ErrorCode::kLaunchFailed:
      return kLaunchError;
    case ErrorCode::kInternal:
      break;
  }
  return kBug;
}

}  // namespace kmux::cli
