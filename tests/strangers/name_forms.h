#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kmux/dispatch.h"
#include "kmux/error.h"
#include "kmux/runtime.h"

namespace kmux::strangers {

/// A way to name a kernel: a program of names/ whose kernels write ones where the right ones are launched.
struct NameForm {
  std::string name;                // of the file
  Program program;
  std::vector<std::string> means;  // of each launch, the function as a demangled symbol has it
  std::string ready;  // the name for compiled code, which has neither macros nor aliases; empty: the same
};

/// All forms, by name.
///
/// Errors: what reading a program gives.
Result<std::vector<NameForm>> name_forms();

/// Compiles a form for `target` with `backend`, and compares the symbols of its kernels with what they should be.
///
/// Errors: those of `build`; failed (internal) with both symbols.
Status check_symbols(Runtime& runtime, const NameForm& form, const std::string& backend, const std::string& target);

/// The form with the code that `backend` compiles for `target` instead of its source, as dialect cubin or ptx.
Result<NameForm> ready_form(Runtime& runtime, const NameForm& form, const std::string& backend,
                            const std::string& target, const std::string& dialect);

/// Compiles the form with `backend`, launches it on its device, and compares what it wrote; does not compare where `runs` is
/// false, as over a driver that runs no code.
Status check_launch(Runtime& runtime, const NameForm& form, const std::string& backend, bool runs);

/// Exports the form from `backend` and opens the library; its kernels are loaded where the device has a driver.
Status check_export(Runtime& runtime, const NameForm& form, const std::string& backend);

/// Nothing if `backend` can build here (`runs`: and run), else why not.
std::optional<std::string> why_not(Runtime& runtime, const std::string& backend, bool runs);

/// One way to use a form.
struct NameWay {
  std::string name;  // "nvrtc sm_90"
  std::string backend;  // that it needs
  bool runs;  // on a device
  std::function<Status(Runtime&, const NameForm&)> check;
};

/// What `way.check` says of each of `forms`, in their order, by `threads` threads at once: one compiler each.
std::vector<Status> check_all(Runtime& runtime, const NameWay& way, const std::vector<NameForm>& forms,
                              unsigned threads);

/// A runtime that keeps what it compiles in the folder `cache`: several ways want the same code.
Result<Shared<Runtime>> open_runtime(const std::string& cache);

/// Is there a driver of NVIDIA's devices, and does it run code?
enum class Devices { kNone, kFake, kReal };

/// Every way: compiled by nvrtc, cuda and hip's Clang, from ready code, and run and exported by cpu. With `devices` also
/// launched and exported by nvrtc and cuda; only a real one has results to compare. PTX of nvcc only if `thorough`.
std::vector<NameWay> name_ways(Devices devices, bool thorough);

}  // namespace kmux::strangers
