#include <algorithm>

#include "base/quoted.h"
#include "ir/json_reader.h"
#include "validation.h"

namespace kmux {

namespace {

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

// Is it letters, digits and some of `also`?
bool is_word_with(std::string_view text, std::string_view also) {
  const auto allowed = [&](char c) { return is_letter_or_digit(c) || also.find(c) != std::string_view::npos; };
  return !text.empty() && std::ranges::all_of(text, allowed);
}

bool is_standard(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return is_letter_or_digit(c) || c == '+'; });
}

bool is_define(std::string_view text) {
  const std::string_view name = text.substr(0, text.find('='));
  const bool is_name = is_word_with(name, "_") && (name.front() < '0' || name.front() > '9');
  return is_name && is_text(text) && text.find_first_of("\n\r") == std::string_view::npos;
}

bool is_prelude(std::string_view text) {
  return !text.empty() && is_text(text) && text.find_first_of("\"<>\n\r\\") == std::string_view::npos;
}

// A package's name, then what pip allows behind it, without blanks.
bool is_requirement(std::string_view text) {
  return is_word_with(text, "_-.,<>=!~[]*") && is_letter_or_digit(text.front());
}

bool is_flag(std::string_view text) {
  return text.size() > 1 && text.front() == '-' && is_text(text) &&
         text.find_first_of("\n\r") == std::string_view::npos;
}

// Checks one variant but its body.
class VariantChecker {
 public:
  VariantChecker(const Variant& variant, ProblemList& problems) : variant_(variant), problems_(problems) {}

  void check(const Dialect* dialect, const JsonPointer& at) {
    if (dialect == nullptr) unknown_dialect(at / "dialect");
    words(variant_.requirements.arch, "an architecture", at / "requires" / "arch");
    words(variant_.requirements.features, "a feature", at / "requires" / "features");
    settings(at / "settings");
    sources(at / "sources");
    files(variant_.headers, at / "headers");
    if (dialect != nullptr && dialect->is_binary) binary(*dialect, at);
  }

 private:
  void unknown_dialect(const JsonPointer& at) {
    std::vector<std::string> known;
    for (const Dialect& dialect : all_dialects()) known.emplace_back(dialect.name);
    problems_.add(at, "unknown dialect " + in_double_quotes(variant_.dialect) + "." +
                          suggestion(variant_.dialect, known) + " Use " + listed(known) + ".");
  }

  void words(const std::vector<std::string>& list, const std::string& what, const JsonPointer& at) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (is_word_with(list[i], "_-+.")) continue;
      problems_.add(at / i,
                    in_double_quotes(list[i]) + " is not " + what + ". Use letters, digits, '_', '-', '+' and '.'.");
    }
  }

  void settings(const JsonPointer& at) {
    const Settings& settings = variant_.settings;
    if (!is_standard(settings.standard)) {
      problems_.add(at / "standard",
                    in_double_quotes(settings.standard) + " is no standard. Use one such as \"c++17\".");
    }
    for (std::size_t i = 0; i < settings.defines.size(); ++i) {
      if (is_define(settings.defines[i])) continue;
      problems_.add(at / "defines" / i,
                    in_double_quotes(settings.defines[i]) + " is no define. Use NAME or NAME=VALUE on one line.");
    }
    for (std::size_t i = 0; i < settings.preludes.size(); ++i) {
      if (is_prelude(settings.preludes[i])) continue;
      problems_.add(at / "preludes" / i, in_double_quotes(settings.preludes[i]) +
                                             " is no header name. Leave out quotes, angle brackets and backslashes.");
    }
    words(settings.include_hints, "a package name", at / "include_hints");
    for (std::size_t i = 0; i < settings.python_requires.size(); ++i) {
      if (is_requirement(settings.python_requires[i])) continue;
      problems_.add(at / "python_requires" / i, in_double_quotes(settings.python_requires[i]) +
                                                    " is no requirement. Use one such as \"package>=1.2,<2\".");
    }
    for (std::size_t i = 0; i < settings.compile_flags.size(); ++i) {
      if (is_flag(settings.compile_flags[i])) continue;
      problems_.add(at / "compile_flags" / i, in_double_quotes(settings.compile_flags[i]) +
                                                  " is no compiler flag. Use one such as \"-O3\" on one line.");
    }
  }

  void sources(const JsonPointer& at) {
    if (variant_.sources.empty()) problems_.add(at, "the variant has no sources. Add the file that has its kernels.");
    files(variant_.sources, at);
  }

  void files(const std::vector<File>& files, const JsonPointer& at) {
    for (std::size_t i = 0; i < files.size(); ++i) {
      const std::string& path = files[i].path;
      const JsonPointer here = at / i / "path";
      if (!is_file_path(path) || path.ends_with(".kmux.json")) {
        problems_.add(here, "file path " + in_double_quotes(path) +
                                " is refused (it may leave the program's folder, or " +
                                "replace a program). Use one such as \"src/gemm.cu\".");
      } else if (!paths_.emplace(path, here.text()).second) {
        problems_.add(
            here, "file path " + in_double_quotes(path) + " is taken (by " + paths_[path] + "). Rename one of them.");
      }
    }
  }

  void binary(const Dialect& dialect, const JsonPointer& at) {
    if (variant_.sources.size() > 1) {
      problems_.add(at / "sources", std::to_string(variant_.sources.size()) + " sources (dialect " +
                                        in_double_quotes(dialect.name) +
                                        " is one ready file). Make a variant of each.");
    }
    const std::string nothing = "dialect " + in_double_quotes(dialect.name) + " is not compiled. Remove ";
    if (!variant_.headers.empty()) problems_.add(at / "headers", nothing + "the headers.");
    if (variant_.settings != Settings{}) problems_.add(at / "settings", nothing + "the settings.");
  }

  const Variant& variant_;
  ProblemList& problems_;
  std::map<std::string, std::string> paths_ = {};
};

}  // namespace

void check_variant(const Variant& variant, const Scope& outer, const JsonPointer& at, ProblemList& problems) {
  const Dialect* dialect = find_dialect(variant.dialect);
  VariantChecker(variant, problems).check(dialect, at);
  check_body(variant.body, dialect, outer, at / "body", problems);
}

}  // namespace kmux
