#pragma once

// What an application needs to make, resolve, compile and call programs. The others are included by name:
//   kmux/await_options.h                how long await_best waits
//   kmux/cache.h                        the cache on disk, for those who look after it
//   kmux/cached_program.h               programs in that cache, where making one takes long
//   kmux/compile_wait.h                 giving up a compilation
//   kmux/environment.h, kmux/registry.h a runtime and plugins of one's own
//   kmux/executor.h                     threads of the application for kernels that run on the processor
//   kmux/jit.h                          functions that make programs; wants headers of Boost
//   kmux/json.h                         what `to_json` and `Device::properties` return
//   kmux/kernel_attributes.h            registers and memory of compiled kernels
//   kmux/log.h                          where lines of log go
//   kmux/par_compile.h                  many programs at once
//   kmux/trace.h                        what was done when, for Perfetto
#include "kmux/arg.h"
#include "kmux/builder.h"
#include "kmux/compile.h"
#include "kmux/device.h"
#include "kmux/error.h"
#include "kmux/export_library.h"
#include "kmux/kernel.h"
#include "kmux/npy.h"
#include "kmux/program.h"
#include "kmux/resolver.h"
#include "kmux/runtime.h"
#include "kmux/tensor.h"
#include "kmux/tune.h"
#include "kmux/validate.h"
#include "kmux/version.h"
