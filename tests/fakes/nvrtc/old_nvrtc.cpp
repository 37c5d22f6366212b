// A libnvrtc.so.12 that says it is of CUDA 12.4: it refuses architectures beyond sm_90 as that one does, and makes PTX of
// kernels whose parameters are pointers, int and float. The PTX has their names and parameters, and no instructions.
#include <cstddef>
#include <cstring>
#include <regex>
#include <string>

namespace {

enum Result : int { kSuccess = 0, kInvalidInput = 3, kInvalidOption = 5, kNoNameExpression = 10 };

constexpr int kNewest = 90;

struct Program {
  std::string text;
  std::string log;
  std::string ptx;
};
using Handle = Program*;

std::string parameters_of(const std::string& list) {
  static const std::regex parameter(R"(([^,]*[\w*])\s*(?:,|$))");
  std::string text;
  int index = 0;
  for (std::sregex_iterator match(list.begin(), list.end(), parameter), last; match != last; ++match) {
    const std::string declared = (*match)[1];
    const bool is_pointer = declared.find('*') != declared.npos;
    const char* const type = is_pointer ? "u64" : declared.find("float") != declared.npos ? "f32" : "u32";
    text.append(index > 0 ? ", " : "").append(".param .").append(type).append(" p").append(std::to_string(index));
    ++index;
  }
  return text;
}

std::string ptx_of(const std::string& source, const std::string& arch) {
  static const std::regex kernel(R"(__global__\s+void\s+(\w+)\s*\(([^)]*)\))");
  std::string ptx = ".version 8.4\n.target sm_" + arch + "\n.address_size 64\n";
  for (std::sregex_iterator match(source.begin(), source.end(), kernel), last; match != last; ++match) {
    ptx.append(".visible .entry ").append((*match)[1]).append("(").append(parameters_of((*match)[2]));
    ptx.append(") { ret; }\n");
  }
  return ptx;
}

Result give(const std::string& text, char* to) {
  std::memcpy(to, text.c_str(), text.size() + 1);
  return kSuccess;
}

}  // namespace

#define KMUX_EXPORT extern "C" __attribute__((visibility("default")))

KMUX_EXPORT Result nvrtcVersion(int* major, int* minor) {
  *major = 12;
  *minor = 4;
  return kSuccess;
}

KMUX_EXPORT Result nvrtcCreateProgram(Handle* program, const char* text, const char*, int, const char* const*,
                                      const char* const*) {
  *program = new Program{text, {}, {}};
  return kSuccess;
}

KMUX_EXPORT Result nvrtcDestroyProgram(Handle* program) {
  delete *program;
  *program = nullptr;
  return kSuccess;
}

KMUX_EXPORT Result nvrtcCompileProgram(Handle program, int count, const char* const* options) {
  static const std::regex option(R"(--gpu-architecture=(sm|compute)_(\d+)(\w?))");
  for (int i = 0; i < count; ++i) {
    std::cmatch match;
    if (!std::regex_match(options[i], match, option)) continue;
    if (std::stoi(match[2]) > kNewest) {
      program->log = "nvrtc: error: invalid value for --gpu-architecture (-arch)\n";
      return kInvalidOption;
    }
    program->ptx = ptx_of(program->text, std::string(match[2]) + std::string(match[3]));
    return kSuccess;
  }
  return kInvalidInput;
}

KMUX_EXPORT Result nvrtcGetProgramLogSize(Handle program, std::size_t* bytes) {
  *bytes = program->log.size() + 1;
  return kSuccess;
}
KMUX_EXPORT Result nvrtcGetProgramLog(Handle program, char* text) { return give(program->log, text); }

KMUX_EXPORT Result nvrtcGetPTXSize(Handle program, std::size_t* bytes) {
  *bytes = program->ptx.size() + 1;
  return kSuccess;
}
KMUX_EXPORT Result nvrtcGetPTX(Handle program, char* text) { return give(program->ptx, text); }

// It has no assembler.
KMUX_EXPORT Result nvrtcGetCUBINSize(Handle, std::size_t*) { return kInvalidInput; }
KMUX_EXPORT Result nvrtcGetCUBIN(Handle, char*) { return kInvalidInput; }

KMUX_EXPORT Result nvrtcAddNameExpression(Handle, const char*) { return kNoNameExpression; }
KMUX_EXPORT Result nvrtcGetLoweredName(Handle, const char*, const char**) { return kNoNameExpression; }
KMUX_EXPORT const char* nvrtcGetErrorString(Result) { return "NVRTC_ERROR"; }
