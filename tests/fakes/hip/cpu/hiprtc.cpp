// hiprtc's interface over the backend for CPUs.
#include <algorithm>
#include <cstring>

#include "cpu/code_object.h"
#include "cpu/grid_unit.h"
#include "cpu/real_compilers.h"
#include "cpu/world.h"
#include "hiprtc_library.h"

using namespace kmux::fake_hip;  // NOLINT(google-build-using-namespace): this file defines hiprtc's functions
using kmux::hip::HiprtcProgram;
using kmux::hip::kHiprtcCompilationError;

#define KMUX_CALL(name, symbol, params) extern "C" __attribute__((visibility("default"))) int symbol params;
KMUX_HIPRTC_CALLS(KMUX_CALL)
#undef KMUX_CALL

struct kmux::hip::HiprtcProgramState {
  HipUnit unit;
  std::vector<std::string> names = {};  // of the expressions
  std::vector<std::string> variable_names = {};
  std::string log = {};
  std::string code = {};
};

namespace {

constexpr int kInvalidInput = 3;    // HIPRTC_ERROR_INVALID_INPUT
constexpr int kInternalError = 11;  // HIPRTC_ERROR_INTERNAL_ERROR
constexpr std::string_view kArchOption = "--offload-arch=";

std::string arch_of(const std::vector<std::string>& options) {
  for (const std::string_view option : options) {
    if (option.starts_with(kArchOption)) {
      return std::string(option.substr(kArchOption.size(), option.find(':') - kArchOption.size()));
    }
  }
  return "";
}

// Compiles the program and ignores options that apply only to a device.
kmux::Status compile(kmux::hip::HiprtcProgramState& program, int count, const char** options) {
  program.unit.options.assign(options, options + count);
  if (const std::string header = missing_header(program.unit); !header.empty()) {
    return kmux::make_error(kmux::ErrorCode::kCompileFailed, "fatal error: '" + header + "' file not found");
  }
  const std::string arch = arch_of(program.unit.options);
  KMUX_ASSIGN(std::string kernels, kmux::fakes::GridCode::compile(grid_source(program.unit, arch)));
  KMUX_TRY(compile_for_real(program.unit));
  program.code = pack({arch, kernels_of(program.unit), std::move(kernels), program.variable_names});
  return kmux::Ok{};
}

// Returns the compiler's own text if the error has it.
std::string text_of(const kmux::Error& error) {
  for (const kmux::Note& note : error.notes) {
    if (note.kind == "log") return note.text;
  }
  return error.message;
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
  *program = new kmux::hip::HiprtcProgramState{{text, {}, {}, {}, {}}};
  for (int i = 0; i < count; ++i) (*program)->unit.headers.push_back({header_names[i], headers[i]});
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
  program->log = text_of(status.error());
  const bool is_refused =
      status.error().code == kmux::ErrorCode::kCompileFailed || status.error().code == kmux::ErrorCode::kUnsupported;
  return is_refused ? kHiprtcCompilationError : kInternalError;
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
  if (*expression == '&') {
    program->variable_names.push_back(variable_name(program->unit.variables.size()));
    program->unit.variables.emplace_back(expression + 1);
    return 0;
  }
  program->names.push_back(expression_name(program->unit.expressions.size()));
  program->unit.expressions.emplace_back(expression);
  return 0;
}

int hiprtcGetLoweredName(HiprtcProgram program, const char* expression, const char** symbol) {
  KMUX_BEGIN("hiprtcGetLoweredName");
  const bool is_variable = *expression == '&';
  const auto& known = is_variable ? program->unit.variables : program->unit.expressions;
  const auto found = std::ranges::find(known, expression + (is_variable ? 1 : 0));
  if (found == known.end()) return 10;  // HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID
  const auto& names = is_variable ? program->variable_names : program->names;
  *symbol = names[static_cast<std::size_t>(found - known.begin())].c_str();
  return 0;
}

extern "C" __attribute__((visibility("default"))) const char* hiprtcGetErrorString(int code) {
  return code == 0 ? "HIPRTC_SUCCESS" : "HIPRTC_ERROR_OF_THE_FAKE";
}
