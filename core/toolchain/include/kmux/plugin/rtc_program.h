#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "kmux/error.h"
#include "kmux/plugin/source_unit.h"

namespace kmux {

/// A program of a run-time compiler with NVRTC's interface, which hiprtc adopted. Owns the program and destroys it.
///
/// `Library` must have `calls()`, a function table with a type `Program`, and `failure(call, result)`, the error of a
/// named call. The table must have the prefix of its symbols (`kPrefix`) and the name of the call that returns the code
/// (`kCodeCall`).
///
/// Errors: `failure` of any result but 0.   Lifetime: borrows the library.
template <class Library>
class RtcProgram {
 public:
  /// Creates no program yet.
  explicit RtcProgram(const Library& library) : library_(library), calls_(library.calls()) {}
  RtcProgram(const RtcProgram&) = delete;
  RtcProgram& operator=(const RtcProgram&) = delete;
  ~RtcProgram() {
    if (program_ != nullptr) static_cast<void>(calls_.destroy(&program_));
  }

  /// Creates the program from `text`, which may include the files of `unit`.
  Status create(const std::string& text, const SourceUnit& unit) {
    std::vector<const char*> contents;
    std::vector<const char*> paths;
    for (const File& file : unit.files) {
      contents.push_back(file.content.c_str());
      paths.push_back(file.path.c_str());
    }
    return check("CreateProgram", calls_.create(&program_, text.c_str(), unit.path.c_str(),
                                                static_cast<int>(paths.size()), contents.data(), paths.data()));
  }

  /// Adds name expressions to instantiate.
  Status add_names(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      KMUX_TRY(check("AddNameExpression", calls_.add_name(program_, name.c_str())));
    }
    return Ok{};
  }

  /// Compiles. Returns the compiler's result: the log explains a failure.
  auto compile(const std::vector<std::string>& options) {
    std::vector<const char*> pointers;
    pointers.reserve(options.size());
    for (const std::string& option : options) pointers.push_back(option.c_str());
    return calls_.compile(program_, static_cast<int>(pointers.size()), pointers.data());
  }

  /// Returns the log, without trailing zeros and empty lines; empty, or ends in a newline.
  Result<std::string> log() const {
    KMUX_ASSIGN(std::string text, read("GetProgramLog", calls_.log_size, calls_.log));
    while (!text.empty() && (text.back() == '\0' || text.back() == '\n')) text.pop_back();
    return text.empty() ? text : text + '\n';
  }

  /// Returns the compiled code.
  Result<std::string> code() const { return read(calls_.kCodeCall, calls_.code_size, calls_.code); }

  /// Returns the symbols of the name expressions, in order.
  Result<std::vector<std::string>> symbols(const std::vector<std::string>& names) const {
    std::vector<std::string> symbols;
    for (const std::string& name : names) {
      const char* symbol = nullptr;
      KMUX_TRY(check("GetLoweredName", calls_.lowered_name(program_, name.c_str(), &symbol)));
      symbols.emplace_back(symbol);
    }
    return symbols;
  }

  /// Returns the compiler's handle.
  auto handle() const { return program_; }

 private:
  template <class Code>
  Status check(std::string_view call, Code result) const {
    if (result == Code{}) return Ok{};
    return library_.failure(std::string(calls_.kPrefix).append(call), result);
  }

  template <class Size, class Content>
  Result<std::string> read(std::string_view call, Size size, Content content) const {
    std::size_t bytes = 0;
    KMUX_TRY(check(std::string(call) + "Size", size(program_, &bytes)));
    std::string text(bytes, '\0');
    if (bytes > 0) KMUX_TRY(check(call, content(program_, text.data())));
    return text;
  }

  using Table = std::remove_cvref_t<decltype(std::declval<const Library&>().calls())>;
  const Library& library_;
  const Table& calls_;
  typename Table::Program program_ = nullptr;
};

}  // namespace kmux
