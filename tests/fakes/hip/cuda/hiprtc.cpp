// hiprtc's interface over NVRTC.
#include <string>
#include <string_view>
#include <vector>

#include "cuda/driver.h"
#include "hiprtc_library.h"
#include "nvrtc_library.h"
#include "places.h"
#include "tests/toolkit_host.h"

namespace kmux {
extern const std::string_view hip_on_cuda_text;  // cuda/device_code.h
}

using kmux::hip::HiprtcProgram;
using kmux::nvrtc::NvrtcLibrary;
using kmux::nvrtc::NvrtcProgram;

#define KMUX_CALL(name, symbol, params) extern "C" __attribute__((visibility("default"))) int symbol params;
KMUX_HIPRTC_CALLS(KMUX_CALL)
#undef KMUX_CALL

namespace {

constexpr int kInternalError = 11;  // HIPRTC_ERROR_INTERNAL_ERROR
constexpr const char* kOpening = "kmux-hip-on-cuda.h";

NvrtcProgram of(HiprtcProgram program) { return reinterpret_cast<NvrtcProgram>(program); }

struct Nvrtc {
  const NvrtcLibrary* library = nullptr;
  std::vector<std::string> folders;
};

const Nvrtc& nvrtc() {
  static const Nvrtc found = [] {
    const kmux::nvrtc::ToolkitHost host;
    Nvrtc nvrtc;
    const auto path = kmux::nvrtc::find_library(host);
    const auto library = path ? NvrtcLibrary::open(*path) : path.error();
    if (!library) return nvrtc;
    nvrtc.library = *library;
    nvrtc.folders = kmux::nvrtc::header_folders(*path, host);
    return nvrtc;
  }();
  return found;
}

// Returns the architecture of device 0, or the default without one.
std::string architecture() {
  int major = 9;
  int minor = 0;
  using namespace kmux::nvidia;  // NOLINT(google-build-using-namespace): the names of the driver's interface
  if (const DriverTable* const cu = kmux::hip_on_cuda::driver()) {
    cu->device_attribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0);
    cu->device_attribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0);
  }
  return "--gpu-architecture=sm_" + std::to_string(major) + std::to_string(minor) + (major >= 9 ? "a" : "");
}

std::vector<std::string> arguments_of(int count, const char** options) {
  std::vector<std::string> arguments = {architecture(), "-default-device", "--pre-include=" + std::string(kOpening)};
  for (const std::string& folder : nvrtc().folders) arguments.push_back("-I" + folder);
  for (int i = 0; i < count; ++i) {
    const std::string_view option = options[i];
    if (option == "-fapprox-func") arguments.emplace_back("--use_fast_math");
    if (option.starts_with("-D") || option.starts_with("-I") || option.starts_with("-std=")) {
      arguments.emplace_back(option);
    }
  }
  return arguments;
}

int number(kmux::nvrtc::NvrtcResult result) { return static_cast<int>(result); }

}  // namespace

int hiprtcCreateProgram(HiprtcProgram* program, const char* text, const char* name, int count, const char** headers,
                        const char** header_names) {
  if (nvrtc().library == nullptr) return kInternalError;
  std::vector<const char*> contents(headers, headers + count);
  std::vector<const char*> names(header_names, header_names + count);
  contents.push_back(kmux::hip_on_cuda_text.data()), names.push_back(kOpening);
  return number(nvrtc().library->calls().create(reinterpret_cast<NvrtcProgram*>(program), text, name,
                                                static_cast<int>(names.size()), contents.data(), names.data()));
}

int hiprtcDestroyProgram(HiprtcProgram* program) {
  return number(nvrtc().library->calls().destroy(reinterpret_cast<NvrtcProgram*>(program)));
}

int hiprtcCompileProgram(HiprtcProgram program, int count, const char** options) {
  const std::vector<std::string> arguments = arguments_of(count, options);
  std::vector<const char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(argument.c_str());
  return number(nvrtc().library->calls().compile(of(program), static_cast<int>(pointers.size()), pointers.data()));
}

int hiprtcGetProgramLogSize(HiprtcProgram program, std::size_t* bytes) {
  return number(nvrtc().library->calls().log_size(of(program), bytes));
}

int hiprtcGetProgramLog(HiprtcProgram program, char* text) {
  return number(nvrtc().library->calls().log(of(program), text));
}

int hiprtcGetCodeSize(HiprtcProgram program, std::size_t* bytes) {
  return number(nvrtc().library->calls().code_size(of(program), bytes));
}

int hiprtcGetCode(HiprtcProgram program, char* code) {
  return number(nvrtc().library->calls().code(of(program), code));
}

int hiprtcAddNameExpression(HiprtcProgram program, const char* expression) {
  return number(nvrtc().library->calls().add_name(of(program), expression));
}

int hiprtcGetLoweredName(HiprtcProgram program, const char* expression, const char** symbol) {
  return number(nvrtc().library->calls().lowered_name(of(program), expression, symbol));
}

extern "C" __attribute__((visibility("default"))) const char* hiprtcGetErrorString(int code) {
  if (nvrtc().library == nullptr) return "NVRTC cannot be opened";
  return nvrtc().library->calls().error_string(static_cast<kmux::nvrtc::NvrtcResult>(code));
}
