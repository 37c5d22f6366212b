#include "hiprtc_compiler.h"

#include <algorithm>

#include "kmux/compile_log.h"

namespace kmux::hip {
namespace {

std::vector<const char*> pointers(const std::vector<std::string>& texts) {
  std::vector<const char*> result;
  result.reserve(texts.size());
  for (const std::string& text : texts) result.push_back(text.c_str());
  return result;
}

// A program of hiprtc, destroyed with the object.
class HiprtcUnit {
 public:
  explicit HiprtcUnit(const HiprtcLibrary& library) : library_(library), calls_(library.calls()) {}
  HiprtcUnit(const HiprtcUnit&) = delete;
  HiprtcUnit& operator=(const HiprtcUnit&) = delete;
  ~HiprtcUnit() {
    if (program_ != nullptr) static_cast<void>(calls_.destroy(&program_));
  }

  Status create(const std::string& text, const SourceUnit& unit) {
    std::vector<const char*> contents;
    std::vector<const char*> paths;
    for (const File& file : unit.files) {
      contents.push_back(file.content.c_str());
      paths.push_back(file.path.c_str());
    }
    return check("hiprtcCreateProgram", calls_.create(&program_, text.c_str(), unit.path.c_str(),
                                                      static_cast<int>(paths.size()), contents.data(), paths.data()));
  }

  Status add_names(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      KMUX_TRY(check("hiprtcAddNameExpression", calls_.add_name(program_, name.c_str())));
    }
    return Ok{};
  }

  int compile(const std::vector<std::string>& options) {
    return calls_.compile(program_, static_cast<int>(options.size()), pointers(options).data());
  }

  // The log counts its terminating zero.
  Result<std::string> log() const {
    KMUX_ASSIGN(std::string text, read("hiprtcGetProgramLog", calls_.log_size, calls_.log));
    while (!text.empty() && (text.back() == '\0' || text.back() == '\n')) text.pop_back();
    return text.empty() ? text : text + "\n";
  }
  Result<std::string> code() const { return read("hiprtcGetCode", calls_.code_size, calls_.code); }

  Result<std::vector<std::string>> symbols(const std::vector<std::string>& names) const {
    std::vector<std::string> symbols;
    for (const std::string& name : names) {
      const char* symbol = nullptr;
      KMUX_TRY(check("hiprtcGetLoweredName", calls_.lowered_name(program_, name.c_str(), &symbol)));
      symbols.emplace_back(symbol);
    }
    return symbols;
  }

  Error failure(const char* call, int result) const {
    const char* const text = calls_.error_string ? calls_.error_string(result) : "unknown";
    return make_error(ErrorCode::kCompileFailed, std::string(call) + " failed with " + std::to_string(result) + " (" +
                                                     text + "; " + library_.name() +
                                                     "). Correct the sources, or use option engine \"clang\".");
  }

 private:
  Status check(const char* call, int result) const {
    if (result == 0) return Ok{};
    return failure(call, result);
  }

  Result<std::string> read(const char* call, int (*size)(HiprtcProgram, std::size_t*),
                           int (*content)(HiprtcProgram, char*)) const {
    std::size_t bytes = 0;
    KMUX_TRY(check((std::string(call) + "Size").c_str(), size(program_, &bytes)));
    std::string text(bytes, '\0');
    if (bytes > 0) KMUX_TRY(check(call, content(program_, text.data())));
    return text;
  }

  const HiprtcLibrary& library_;
  const HiprtcTable& calls_;
  HiprtcProgram program_ = nullptr;
};

// hiprtc has no option for what is included first.
std::string text_of(const SourceUnit& unit) {
  std::string text;
  for (const std::string& prelude : unit.preludes) text += "#include \"" + prelude + "\"\n";
  return text + "#line 1 \"" + unit.path + "\"\n" + unit.text;
}

bool names_standard(const std::string& flag) { return flag.starts_with("-std=") || flag.starts_with("--std="); }

std::vector<std::string> arguments_of(const Settings& settings, const BuildOptions& options, std::string_view arch) {
  std::vector<std::string> arguments = {"--offload-arch=" + std::string(arch), "-O3"};
  if (std::ranges::none_of(options.compile_flags, names_standard)) {
    arguments.push_back("-std=" + standard_of(settings));
  }
  if (options.fast_math || settings.fast_math) arguments.emplace_back("-ffast-math");
  for (const std::string& define : settings.defines) arguments.push_back("-D" + define);
  arguments.insert(arguments.end(), options.compile_flags.begin(), options.compile_flags.end());
  for (const std::string& folder : options.include_dirs) arguments.push_back("-I" + folder);
  return arguments;
}

Error compile_failure(const HiprtcUnit& program, const SourceUnit& unit, int result, const std::string& log) {
  if (result == kHiprtcCompilationError) return compile_error("cannot compile \"" + unit.path + "\"", log);
  return program.failure("hiprtcCompileProgram", result).with("log", log);
}

}  // namespace

Result<Compiled> compile_with_hiprtc(const HiprtcLibrary& library, const SourceUnit& unit, const Settings& settings,
                                     const BuildOptions& options, std::string_view arch,
                                     const std::vector<std::string>& names) {
  HiprtcUnit program(library);
  Compiled compiled{.code = {}, .compiler = library.name(), .arguments = arguments_of(settings, options, arch)};
  KMUX_TRY(program.create(text_of(unit), unit));
  KMUX_TRY(program.add_names(names));
  const int result = program.compile(compiled.arguments);
  KMUX_ASSIGN(compiled.log, program.log());
  if (result != 0) return compile_failure(program, unit, result, compiled.log);
  KMUX_ASSIGN(compiled.symbols, program.symbols(names));
  KMUX_ASSIGN(compiled.code, program.code());
  return compiled;
}

}  // namespace kmux::hip
