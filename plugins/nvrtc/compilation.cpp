#include "compilation.h"

#include <algorithm>

#include "kmux/compile_log.h"

namespace kmux::nvrtc {
namespace {

std::vector<const char*> pointers(const std::vector<std::string>& texts) {
  std::vector<const char*> result;
  result.reserve(texts.size());
  for (const std::string& text : texts) result.push_back(text.c_str());
  return result;
}

// A program of NVRTC, destroyed with the object.
class NvrtcUnit {
 public:
  explicit NvrtcUnit(const NvrtcLibrary& library) : library_(library), calls_(library.calls()) {}
  NvrtcUnit(const NvrtcUnit&) = delete;
  NvrtcUnit& operator=(const NvrtcUnit&) = delete;
  ~NvrtcUnit() {
    if (program_) (void)calls_.destroy(&program_);
  }

  Status create(const SourceUnit& unit) {
    std::vector<const char*> texts;
    std::vector<const char*> paths;
    for (const File& file : unit.files) {
      texts.push_back(file.content.c_str());
      paths.push_back(file.path.c_str());
    }
    return check("nvrtcCreateProgram", calls_.create(&program_, unit.text.c_str(), unit.path.c_str(),
                                                     static_cast<int>(texts.size()), texts.data(), paths.data()));
  }

  Status add_names(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      KMUX_TRY(check("nvrtcAddNameExpression", calls_.add_name(program_, name.c_str())));
    }
    return Ok{};
  }

  // NVRTC 13 keeps what it made where the driver does, and starts the driver for that. kmux has a cache of its own.
  NvrtcResult compile(std::vector<std::string> options) {
    if (library_.is_at_least(13, 0)) options.emplace_back("--no-cache");
    return calls_.compile(program_, static_cast<int>(options.size()), pointers(options).data());
  }

  Result<std::string> log() const { return read("nvrtcGetProgramLog", calls_.log_size, calls_.log); }
  Result<std::string> cubin() const { return read("nvrtcGetCUBIN", calls_.cubin_size, calls_.cubin); }

  Result<std::vector<std::string>> symbols(const std::vector<std::string>& names) const {
    std::vector<std::string> symbols;
    for (const std::string& name : names) {
      const char* symbol = nullptr;
      KMUX_TRY(check("nvrtcGetLoweredName", calls_.lowered_name(program_, name.c_str(), &symbol)));
      symbols.emplace_back(symbol);
    }
    return symbols;
  }

  NvrtcResult pch() const {
    return library_.has_pch() ? calls_.pch_create_status(program_) : NvrtcResult::kNoPchCreateAttempted;
  }

 private:
  Status check(const char* call, NvrtcResult result) const {
    if (result == NvrtcResult::kSuccess) return Ok{};
    return library_.failure(call, result);
  }

  Result<std::string> read(const char* call, NvrtcResult (*size)(NvrtcProgram, std::size_t*),
                           NvrtcResult (*content)(NvrtcProgram, char*)) const {
    std::size_t bytes = 0;
    KMUX_TRY(check(call, size(program_, &bytes)));
    std::string text(bytes, '\0');
    KMUX_TRY(check(call, content(program_, text.data())));
    return text;
  }

  const NvrtcLibrary& library_;
  const NvrtcTable& calls_;
  NvrtcProgram program_ = nullptr;
};

// The log counts its terminating zero and ends in empty lines.
std::string trimmed(std::string log) {
  while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) log.pop_back();
  if (!log.empty()) log += '\n';
  return log;
}

std::string without_folder(std::string text) {
  for (std::size_t at = text.find(kProgramFolder); at != text.npos; at = text.find(kProgramFolder, at)) {
    text.erase(at, kProgramFolder.size());
  }
  return text;
}

Error compile_failure(const NvrtcLibrary& library, const Compilation& compilation, NvrtcResult result,
                      const std::string& log) {
  if (result == NvrtcResult::kCompilation) {
    return compile_error("cannot compile \"" + without_folder(compilation.unit.path) + "\"", log);
  }
  if (result == NvrtcResult::kInvalidOption) {
    return make_error(ErrorCode::kInvalidArgument,
                      "NVRTC " + library.version() + " does not take an option (" + log.substr(0, log.find('\n')) +
                          "). Correct compile_flags, or use another architecture or a newer NVRTC.")
        .with("log", log);
  }
  return library.failure("nvrtcCompileProgram", result).with("log", log);
}

}  // namespace

Result<Compiled> compile(const NvrtcLibrary& library, const Compilation& compilation) {
  NvrtcUnit unit(library);
  KMUX_TRY(unit.create(compilation.unit));
  KMUX_TRY(unit.add_names(compilation.names));
  const NvrtcResult result = unit.compile(compilation.options);
  Compiled compiled;
  KMUX_ASSIGN(std::string log, unit.log());
  log = trimmed(std::move(log));
  compiled.is_about_program = log.find(kProgramFolder) != log.npos;
  compiled.log = without_folder(std::move(log));
  if (result != NvrtcResult::kSuccess) return compile_failure(library, compilation, result, compiled.log);
  KMUX_ASSIGN(compiled.cubin, unit.cubin());
  KMUX_ASSIGN(compiled.symbols, unit.symbols(compilation.names));
  compiled.pch = unit.pch();
  return compiled;
}

}  // namespace kmux::nvrtc
