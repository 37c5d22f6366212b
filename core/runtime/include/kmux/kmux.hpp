#pragma once

// The headers that an application needs to make, resolve, compile and call programs. Include the others by name:
//   kmux/await_options.h                the time limit of await_best
//   kmux/cache.h                        maintenance of the disk cache
//   kmux/cached_program.h               programs stored in that cache, for programs that are slow to make
//   kmux/compile_wait.h                 giving up a compilation
//   kmux/environment.h, kmux/registry.h a custom runtime and custom plugins
//   kmux/executor.h                     application threads for kernels that run on the processor
//   kmux/jit.h                          functions that make programs; requires Boost headers
//   kmux/json.h                         the result type of `to_json` and `Device::properties`
//   kmux/kernel_attributes.h            registers and memory of compiled kernels
//   kmux/launch_interrupt.h             ending launches that run on the processor
//   kmux/log.h                          the destination of log lines
//   kmux/par_compile.h                  parallel compilation of many programs
//   kmux/trace.h                        a timeline of runtime activity, for Perfetto
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
