// An NVRTC of release KMUX_NVRTC_RELEASE (1204 is 12.4). It exports the functions of that release and refuses the
// architectures and options that the release refuses. It compiles kernels whose parameters are pointers, int and float
// to PTX with their names and parameters, the options in a comment, and no instructions.
//
// The releases that added and removed features are as NVRTC 12.0 to 13.0 themselves report.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <regex>
#include <string>
#include <string_view>

namespace {

enum Result : int {
  kSuccess = 0,
  kInvalidInput = 3,
  kInvalidOption = 5,
  kNoNameExpression = 10,
  kNoPchCreateAttempted = 13
};

constexpr int kRelease = KMUX_NVRTC_RELEASE;

struct Known {
  int number;
  int first = 0;  // the first release that knows it
  int last = 9999;  // the last release that knows it
};
constexpr std::array<Known, 16> kArchs = {{{50, 0, 1299},
                                           {52, 0, 1299},
                                           {60, 0, 1299},
                                           {70, 0, 1299},
                                           {75},
                                           {80},
                                           {86},
                                           {87},
                                           {89},
                                           {90},
                                           {100, 1208},
                                           {101, 1208, 1299},
                                           {103, 1209},
                                           {110, 1300},
                                           {120, 1208},
                                           {121, 1209}}};
constexpr int kFirstWithFamilies = 1209;

struct Option {
  std::string_view beginning;
  int first;
};
constexpr std::array<Option, 8> kNewerOptions = {{{"--Ofast-compile=", 1205},
                                                  {"--brief-diagnostics=", 1201},
                                                  {"--create-pch=", 1208},
                                                  {"--device-float128", 1206},
                                                  {"--minimal", 1204},
                                                  {"--no-cache", 1209},
                                                  {"--pch-messages=", 1208},
                                                  {"--use-pch=", 1208}}};

bool knows_arch(int number, char suffix) {
  const auto known = std::ranges::find(kArchs, number, &Known::number);
  if (known == kArchs.end() || kRelease < known->first || kRelease > known->last) return false;
  return suffix != 'f' || kRelease >= kFirstWithFamilies;
}

bool knows_option(std::string_view option) {
  return std::ranges::none_of(kNewerOptions, [&](const Option& newer) {
    return option.starts_with(newer.beginning) && kRelease < newer.first;
  });
}

// 12.6 added no PTX version.
std::string ptx_version() {
  constexpr int kMinor = kRelease % 100;
  return kRelease >= 1300 ? "9." + std::to_string(kMinor) : "8." + std::to_string(kMinor - (kMinor > 5 ? 1 : 0));
}

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

std::string ptx_of(const std::string& source, const std::string& arch, const std::string& options) {
  static const std::regex kernel(R"(__global__\s+void\s+(\w+)\s*\(([^)]*)\))");
  std::string ptx = "//" + options + "\n.version " + ptx_version() + "\n.target sm_" + arch + "\n.address_size 64\n";
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
  *major = kRelease / 100;
  *minor = kRelease % 100;
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
  std::string arch, all;
  for (int i = 0; i < count; ++i) {
    all.append(" ").append(options[i]);
    if (!knows_option(options[i])) {
      program->log = "nvrtc: error: unrecognized option " + std::string(options[i]) + " found\n";
      return kInvalidOption;
    }
    std::cmatch match;
    if (!std::regex_match(options[i], match, option)) continue;
    arch = std::string(match[2]) + std::string(match[3]);
    if (!knows_arch(std::stoi(match[2]), std::string(match[3]).c_str()[0])) {
      program->log = "nvrtc: error: invalid value for --gpu-architecture (-arch)\n";
      return kInvalidOption;
    }
  }
  if (arch.empty()) return kInvalidInput;
  program->ptx = ptx_of(program->text, arch, all);
  return kSuccess;
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

// This NVRTC has no assembler.
KMUX_EXPORT Result nvrtcGetCUBINSize(Handle, std::size_t*) { return kInvalidInput; }
KMUX_EXPORT Result nvrtcGetCUBIN(Handle, char*) { return kInvalidInput; }

KMUX_EXPORT Result nvrtcAddNameExpression(Handle, const char*) { return kNoNameExpression; }
KMUX_EXPORT Result nvrtcGetLoweredName(Handle, const char*, const char**) { return kNoNameExpression; }
KMUX_EXPORT const char* nvrtcGetErrorString(Result) { return "NVRTC_ERROR"; }

// The intermediate code is the PTX, which no linker accepts.
KMUX_EXPORT Result nvrtcGetLTOIRSize(Handle program, std::size_t* bytes) { return nvrtcGetPTXSize(program, bytes); }
KMUX_EXPORT Result nvrtcGetLTOIR(Handle program, char* code) { return nvrtcGetPTX(program, code); }

#if KMUX_NVRTC_RELEASE >= 1208
KMUX_EXPORT Result nvrtcSetPCHHeapSize(std::size_t) { return kSuccess; }
KMUX_EXPORT Result nvrtcGetPCHCreateStatus(Handle) { return kNoPchCreateAttempted; }
#endif
