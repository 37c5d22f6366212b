// hiprtc's interface: a C++ compiler of the host as a child process.
#include <algorithm>
#include <cstring>
#include <filesystem>

#include "kmux/plugin/file_io.h"
#include "kmux/plugin/host_compiler.h"
#include "kmux/plugin/private_folder.h"
#include "kmux/plugin/process.h"

#include "cpu/host_source.h"
#include "cpu/world.h"
#include "hiprtc_library.h"

using namespace kmux::fake_hip;  // NOLINT(google-build-using-namespace): this file defines hiprtc's functions
using kmux::hip::HiprtcProgram;
using kmux::hip::kHiprtcCompilationError;

#define KMUX_CALL(name, symbol, params) extern "C" __attribute__((visibility("default"))) int symbol params;
KMUX_HIPRTC_CALLS(KMUX_CALL)
#undef KMUX_CALL

struct kmux::hip::HiprtcProgramState {
  std::string text;
  std::vector<kmux::File> headers;
  std::vector<std::string> expressions;
  std::vector<std::string> symbols;
  std::string log;
  std::string code;
};

namespace {

constexpr int kInvalidInput = 3;    // HIPRTC_ERROR_INVALID_INPUT
constexpr int kInternalError = 11;  // HIPRTC_ERROR_INTERNAL_ERROR
constexpr std::string_view kArchOption = "--offload-arch=";

std::string compiler() {
  const auto clang = kmux::find_program("clang++-19");
  return clang ? *clang : kmux::find_host_compiler("", "the HIP on the CPU").value();
}

// What is meant for a device and means nothing here is left out.
std::vector<std::string> arguments_of(int count, const char** options) {
  std::vector<std::string> arguments = {compiler(), "-shared", "-fPIC", "-w", "-O1", "-fvisibility=hidden", "-I."};
  for (int i = 0; i < count; ++i) {
    const std::string_view option = options[i];
    if (option.starts_with(kArchOption)) {
      const std::string arch(option.substr(kArchOption.size(), option.find(':') - kArchOption.size()));
      arguments.push_back("-DKMUX_ARCH=\"" + arch + "\"");
      arguments.push_back("-DKMUX_WAVEFRONT=" + std::to_string(wavefront_of(arch)));
    }
    if (option.starts_with("-D") || option.starts_with("-I") || option.starts_with("-std=")) {
      arguments.emplace_back(option);
    }
  }
  arguments.insert(arguments.end(), {"-o", "out.so", "unit.cpp"});
  return arguments;
}

kmux::Status compile(kmux::hip::HiprtcProgramState& program, int count, const char** options) {
  KMUX_ASSIGN(const kmux::PrivateFolder folder, kmux::PrivateFolder::create("kmux-hip-on-cpu"));
  for (const kmux::File& header : program.headers) KMUX_TRY(folder.write(header.path, header.content));
  KMUX_TRY(folder.write("unit.cpp", host_source(program.text, program.expressions)));
  const kmux::Command command = kmux::compiler_command(arguments_of(count, options), folder.path());
  KMUX_ASSIGN(const kmux::ProcessResult result, kmux::run(command));
  program.log = result.standard_error;
  if (result.exit_code != 0) return kmux::make_error(kmux::ErrorCode::kCompileFailed, "the compiler failed");
  KMUX_ASSIGN(program.code, kmux::read_file(std::filesystem::path(folder.path()) / "out.so"));
  return kmux::Ok{};
}

}  // namespace

int hiprtcCreateProgram(HiprtcProgram* program, const char* text, const char*, int count, const char** headers,
                        const char** header_names) {
  KMUX_BEGIN("hiprtcCreateProgram");
  // Source: ROCm's clr, RTCCompileProgram::addSource and addHeader.
  const auto is_empty = [](const char* given) { return *given == '\0'; };
  if (is_empty(text) || std::any_of(headers, headers + count, is_empty) ||
      std::any_of(header_names, header_names + count, is_empty)) {
    return kInvalidInput;
  }
  *program = new kmux::hip::HiprtcProgramState{text, {}, {}, {}, {}, {}};
  for (int i = 0; i < count; ++i) (*program)->headers.push_back({header_names[i], headers[i]});
  return 0;
}

int hiprtcDestroyProgram(HiprtcProgram* program) {
  const int fault = begin("hiprtcDestroyProgram");
  delete *program;
  *program = nullptr;
  return fault;
}

int hiprtcCompileProgram(HiprtcProgram program, int count, const char** options) {
  KMUX_BEGIN("hiprtcCompileProgram");
  const kmux::Status status = compile(*program, count, options);
  if (status.ok()) return 0;
  if (status.error().code == kmux::ErrorCode::kCompileFailed) return kHiprtcCompilationError;
  program->log = status.error().message;
  return kInternalError;
}

int hiprtcGetProgramLogSize(HiprtcProgram program, std::size_t* bytes) {
  KMUX_BEGIN("hiprtcGetProgramLogSize");
  *bytes = program->log.size() + 1;
  return 0;
}

int hiprtcGetProgramLog(HiprtcProgram program, char* text) {
  KMUX_BEGIN("hiprtcGetProgramLog");
  std::memcpy(text, program->log.c_str(), program->log.size() + 1);
  return 0;
}

int hiprtcGetCodeSize(HiprtcProgram program, std::size_t* bytes) {
  KMUX_BEGIN("hiprtcGetCodeSize");
  *bytes = program->code.size();
  return 0;
}

int hiprtcGetCode(HiprtcProgram program, char* code) {
  KMUX_BEGIN("hiprtcGetCode");
  std::memcpy(code, program->code.data(), program->code.size());
  return 0;
}

int hiprtcAddNameExpression(HiprtcProgram program, const char* expression) {
  KMUX_BEGIN("hiprtcAddNameExpression");
  program->symbols.push_back(expression_symbol(program->expressions.size()));
  program->expressions.emplace_back(expression);
  return 0;
}

int hiprtcGetLoweredName(HiprtcProgram program, const char* expression, const char** symbol) {
  KMUX_BEGIN("hiprtcGetLoweredName");
  for (std::size_t i = 0; i < program->expressions.size(); ++i) {
    if (program->expressions[i] != expression) continue;
    *symbol = program->symbols[i].c_str();
    return 0;
  }
  return 10;  // HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID
}

extern "C" __attribute__((visibility("default"))) const char* hiprtcGetErrorString(int code) {
  return code == 0 ? "HIPRTC_SUCCESS" : "HIPRTC_ERROR_OF_THE_FAKE";
}
