#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace kmux {

/// The kinds of failures, distinguished by the possible reaction of the caller. The values are part of the plugin ABI.
enum class ErrorCode : std::int32_t {
  kOk = 0,
  kInvalidArgument = 1,  // fix the call or the program
  kUnsupported = 2,      // choose another backend
  kUnavailable = 3,      // install something, or use a machine that has it
  kCompileFailed = 4,    // read the compiler's log
  kLaunchFailed = 5,     // the device or the kernel refused
  kInternal = 6,         // report a bug in kmux or in the plugin
  kCancelled = 7,        // repeat the call if its result is still needed
  kTimedOut = 8,         // allow more time
  kOutOfMemory = 9,      // free some, of the host or of the device
};

/// The name of `code` as users and JSON spell it, for example "invalid_argument".
std::string_view to_string(ErrorCode code);

/// A named part of an error: "log", "command", "source", "backend", "path".
struct Note {
  std::string kind;  // a word: "log", "command", "path"
  std::string text;  // may have several lines
  bool operator==(const Note&) const = default;
};

/// A failure as a value: a code, a sentence "problem (why). What to do.", and notes.
struct Error {
  ErrorCode code = ErrorCode::kInternal;  // what the caller can do about it
  std::string message;  // "problem (why). What to do."
  std::vector<Note> notes = {};  // what does not fit into the message
  const char* file = __builtin_FILE();  // the source file of kmux that made the error
  int line = __builtin_LINE();  // in `file`

  /// Adds a note and returns the error, so that calls chain.
  Error&& with(std::string kind, std::string text) &&;

  /// Returns the text of the first note of `kind`, or nothing.
  std::optional<std::string_view> note(std::string_view kind) const;

  /// Returns code, message and notes as text for people: one line, then an indented block per note. Omits notes "deps".
  std::string explain() const;

  /// Returns the same in at most `lines` lines (two or more). If lines are cut, the last line has their number and
  /// `where`, which tells the reader how to see them.
  std::string brief(std::string_view where, std::size_t lines = kBriefLines) const;
  static constexpr std::size_t kBriefLines = 5;  // the default of `brief`
};

/// Returns an `Error` that records the caller's file and line.
Error make_error(ErrorCode code, std::string message, const char* file = __builtin_FILE(), int line = __builtin_LINE());

/// An `Error` as an exception, thrown by `Result::value()` for callers that prefer exceptions. `what()` is its `brief`
/// text.
class Exception final : public std::runtime_error {
 public:
  /// Takes ownership of `error`.
  explicit Exception(Error error)
      : std::runtime_error(error.brief("Error::explain() has them")), error_(std::move(error)) {}
  /// Returns the error.
  const Error& error() const { return error_; }

 private:
  Error error_;
};

/// A value, or the error that prevented it.
///
/// Threads: as `T`.   Lifetime: owns its value or error.
template <class T>
class [[nodiscard]] Result {
 public:
  /// The type of the value.
  using value_type = T;

  /// A success.
  Result(T held) : state_(std::in_place_index<0>, std::move(held)) {}
  /// A failure.
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  /// Returns true if the result holds a value.
  bool ok() const { return state_.index() == 0; }
  /// As `ok`.
  explicit operator bool() const { return ok(); }

  /// Returns the value. Throws `Exception` if the result holds an error.
  T& value() & { return check(), std::get<0>(state_); }
  /// As above, for a const result.
  const T& value() const& { return check(), std::get<0>(state_); }
  /// As above, for a temporary: moves the value out.
  T value() && { return check(), std::get<0>(std::move(state_)); }

  /// Returns the value, unchecked: `ok()` must be true.
  T& operator*() & { return *std::get_if<0>(&state_); }
  /// As above, for a const result.
  const T& operator*() const& { return *std::get_if<0>(&state_); }
  /// As above, for a temporary.
  T&& operator*() && { return std::move(*std::get_if<0>(&state_)); }
  /// Accesses a member of the value, unchecked: `ok()` must be true.
  T* operator->() { return std::get_if<0>(&state_); }
  /// As above, for a const result.
  const T* operator->() const { return std::get_if<0>(&state_); }

  /// Returns the value, or `other` if the result holds an error.
  template <class U>
  T value_or(U&& other) const& {
    return ok() ? **this : static_cast<T>(std::forward<U>(other));
  }
  /// As above, for a temporary: moves the value out.
  template <class U>
  T value_or(U&& other) && {
    return ok() ? *std::move(*this) : static_cast<T>(std::forward<U>(other));
  }

  /// Returns `f(value)`, where `f` returns a Result; or the error.
  template <class F>
  auto and_then(F&& f) const& -> std::remove_cvref_t<std::invoke_result_t<F, const T&>> {
    if (!ok()) return error();
    return std::forward<F>(f)(**this);
  }
  /// As above, for a temporary: moves the value into `f`.
  template <class F>
  auto and_then(F&& f) && -> std::remove_cvref_t<std::invoke_result_t<F, T>> {
    if (!ok()) return std::move(*this).error();
    return std::forward<F>(f)(*std::move(*this));
  }

  /// Returns a Result that holds `f(value)`; or the error.
  template <class F>
  auto transform(F&& f) const& -> Result<std::remove_cvref_t<std::invoke_result_t<F, const T&>>> {
    if (!ok()) return error();
    return std::forward<F>(f)(**this);
  }
  /// As above, for a temporary: moves the value into `f`.
  template <class F>
  auto transform(F&& f) && -> Result<std::remove_cvref_t<std::invoke_result_t<F, T>>> {
    if (!ok()) return std::move(*this).error();
    return std::forward<F>(f)(*std::move(*this));
  }

  /// Returns the error, unchecked: `ok()` must be false.
  Error& error() & { return *std::get_if<1>(&state_); }
  /// As above, for a const result.
  const Error& error() const& { return *std::get_if<1>(&state_); }
  /// As above, for a temporary.
  Error&& error() && { return std::move(*std::get_if<1>(&state_)); }

 private:
  void check() const {
    if (!ok()) throw Exception(*std::get_if<1>(&state_));
  }
  std::variant<T, Error> state_;
};

/// The value of a successful `Status`.
struct Ok {
  bool operator==(const Ok&) const = default;
};

/// Success, or an error.
using Status = Result<Ok>;

}  // namespace kmux

#define KMUX_CONCAT_IMPL(a, b) a##b
#define KMUX_CONCAT(a, b) KMUX_CONCAT_IMPL(a, b)

/// Returns the error of `expr` (a Result) from the enclosing function, if it has one.
#define KMUX_TRY(expr)                                                                    \
  do {                                                                                    \
    if (auto&& kmux_status = (expr); !kmux_status) return std::move(kmux_status).error(); \
  } while (false)

/// Declares `decl` as the value of `expr` (a Result), or returns its error from the enclosing function. Expands to
/// several statements: it does not compile after an `if` without braces.
#define KMUX_ASSIGN(decl, expr) KMUX_ASSIGN_IMPL(KMUX_CONCAT(kmux_result_, __LINE__), decl, expr)
#define KMUX_ASSIGN_IMPL(tmp, decl, expr)  \
  auto tmp = (expr);                       \
  if (!tmp) return std::move(tmp).error(); \
  decl = *std::move(tmp)
