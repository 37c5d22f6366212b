#include "device_headers.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <ranges>
#include <set>
#include <string_view>

#include "kmux/plugin/characters.h"
#include "kmux/plugin/headers.h"
#include "kmux/plugin/include_scan.h"

namespace kmux {

extern const std::string_view nvrtc_device_algorithms_text;
extern const std::string_view nvrtc_device_array_text;
extern const std::string_view nvrtc_device_asserts_text;
extern const std::string_view nvrtc_device_bits_text;
extern const std::string_view nvrtc_device_concepts_text;
extern const std::string_view nvrtc_device_host_names_text;
extern const std::string_view nvrtc_device_integers_text;
extern const std::string_view nvrtc_device_limits_text;
extern const std::string_view nvrtc_device_math_text;
extern const std::string_view nvrtc_device_memory_text;
extern const std::string_view nvrtc_device_numbers_text;
extern const std::string_view nvrtc_device_ranges_text;
extern const std::string_view nvrtc_device_stddef_text;
extern const std::string_view nvrtc_device_types_text;

}  // namespace kmux

namespace kmux::nvrtc {
namespace {

using Words = std::set<std::string_view>;

struct Header {
  const std::string_view* text;
  std::string_view names;  // separated by blanks; the first has the text
};

constexpr std::array<Header, 13> kHeaders = {{
    {&nvrtc_device_algorithms_text, "algorithm functional iterator numeric utility"},
    {&nvrtc_device_array_text, "array"},
    {&nvrtc_device_bits_text, "bit"},
    {&nvrtc_device_concepts_text, "concepts"},
    {&nvrtc_device_host_names_text, "sys/types.h"},
    {&nvrtc_device_integers_text, "stdint.h cstdint inttypes.h cinttypes"},
    {&nvrtc_device_limits_text, "limits"},
    {&nvrtc_device_math_text, "math.h cmath"},
    {&nvrtc_device_memory_text, "string.h cstdio cstdlib cstring memory.h stdio.h stdlib.h"},
    {&nvrtc_device_numbers_text, "numbers"},
    {&nvrtc_device_ranges_text, "limits.h cfloat climits float.h"},
    {&nvrtc_device_stddef_text, "stddef.h cstddef"},
    {&nvrtc_device_types_text, "type_traits"},
}};

// Empty headers: the compiler itself has their content.
constexpr std::string_view kEmpty = "initializer_list new stdbool.h";

// Empty headers of CUDA's runtime, for use without a toolkit: NVRTC has their content that kernels use. Some exist in
// older toolkits only.
constexpr std::string_view kRuntime =
    "builtin_types.h channel_descriptor.h crt/device_functions.h crt/host_defines.h cuda_device_runtime_api.h "
    "cuda_runtime.h "
    "cuda_runtime_api.h cuda_texture_types.h device_atomic_functions.h device_double_functions.h device_functions.h "
    "device_launch_parameters.h device_types.h driver_types.h host_config.h host_defines.h math_functions.h "
    "math_functions.hpp "
    "sm_20_atomic_functions.h sm_20_intrinsics.h sm_30_intrinsics.h sm_32_intrinsics.h sm_35_intrinsics.h "
    "sm_60_atomic_functions.h sm_61_intrinsics.h surface_functions.h texture_fetch_functions.h vector_functions.h "
    "vector_functions.hpp vector_types.h";

// Headers that forward to CCCL, with the members of namespace std.
struct Forwarded {
  std::string_view name;
  std::string_view members;
};
constexpr std::array<Forwarded, 4> kForwarded = {{
    {"complex", "arg complex conj imag norm polar proj real"},
    {"optional", "make_optional nullopt nullopt_t optional"},
    {"tuple", "apply forward_as_tuple get ignore make_tuple tie tuple tuple_cat"},
    {"variant", "get get_if holds_alternative monostate variant visit"},
}};

// A header that is included if a source uses one of the words and does not declare it.
struct Brought {
  std::string_view header;
  std::string_view words;
};
constexpr std::array<Brought, 5> kBrought = {{
    {"limits.h",
     "CHAR_BIT CHAR_MAX CHAR_MIN INT_MAX INT_MIN LLONG_MAX LLONG_MIN LONG_MAX LONG_MIN SCHAR_MAX SCHAR_MIN SHRT_MAX "
     "SHRT_MIN "
     "UCHAR_MAX UINT_MAX ULLONG_MAX ULONG_MAX USHRT_MAX"},
    {"stdint.h", "int16_t int32_t int64_t int8_t intptr_t uint16_t uint32_t uint64_t uint8_t uintptr_t"},
    {"math.h",
     "HUGE_VAL HUGE_VALF INFINITY M_1_PI M_2_PI M_2_SQRTPI M_E M_LN10 M_LN2 M_LOG10E M_LOG2E M_PI M_PI_2 M_PI_4 "
     "M_SQRT1_2 "
     "M_SQRT2 NAN acos asin atan atan2 cbrt ceil cos cosh exp exp2 fabs floor fmax fmin fmod hypot isnormal log log10 "
     "log1p log2 pow "
     "rint round sin sinh sqrt tan tanh trunc"},
    {"string.h", "div_t memcmp memmove strcmp strcpy strlen strncmp EXIT_FAILURE EXIT_SUCCESS RAND_MAX EOF"},
    {"algorithm", "std"},
}};

// Type names of <sys/types.h>, which nvcc's first header includes.
struct TypeName {
  std::string_view name;
  std::string_view type;
};
constexpr std::array<TypeName, 8> kTypeNames = {{{"uint", "unsigned int"},
                                                 {"ulong", "unsigned long"},
                                                 {"ushort", "unsigned short"},
                                                 {"u_char", "unsigned char"},
                                                 {"u_int", "unsigned int"},
                                                 {"u_long", "unsigned long"},
                                                 {"u_short", "unsigned short"},
                                                 {"ssize_t", "long"}}};

constexpr const char* kPrelude = "kmux/host_names.h";

auto words_in(std::string_view list) {
  return list | std::views::split(' ') |
         std::views::transform([](const auto& part) { return std::string_view(part.begin(), part.end()); });
}

void add_words(std::string_view text, Words& words) {
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_name_character(text[end])) ++end;
    if (end > at) words.insert(text.substr(at, end - at));
    at = end + 1;
  }
}

bool has_file(const std::vector<std::string>& folders, std::string_view name) {
  std::error_code error;
  return std::ranges::any_of(folders, [&](const std::string& folder) {
    return std::filesystem::exists(std::filesystem::path(folder) / name, error);
  });
}

std::string include_line(std::string_view name) { return "#include <" + std::string(name) + ">\n"; }

/// Returns the texts of all files of a variant.
std::vector<std::string_view> texts_of(const Variant& variant) {
  std::vector<std::string_view> texts;
  for (const auto* files : {&variant.sources, &variant.headers}) {
    for (const File& file : *files) texts.push_back(file.content);
  }
  return texts;
}

// Returns `text` without blanks at its end or, with `at_begin`, at its beginning.
std::string_view trimmed(std::string_view text, bool at_begin = false) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_blank(at_begin ? text.front() : text.back())) {
    at_begin ? text.remove_prefix(1) : text.remove_suffix(1);
  }
  return text;
}

// Returns true if `text` declares `name`: as a macro, at the end of a typedef, or behind "using" or "struct".
bool declares(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool is_whole =
        (at == 0 || !is_name_character(text[at - 1])) && (end == text.size() || !is_name_character(text[end]));
    if (!is_whole) continue;
    const std::size_t line = text.rfind('\n', at) + 1;  // npos + 1 is 0
    const std::string_view before = text.substr(line, at - line), after = trimmed(text.substr(end), true);
    const bool ends = !after.empty() && (after.front() == ';' || after.front() == '[' || after.front() == ',');
    if (ends && before.find("typedef ") != before.npos) return true;
    const std::string_view left = trimmed(before);
    if (left.size() < before.size() &&
        (left.ends_with("using") || left.ends_with("define") || left.ends_with("struct")))
      return true;
  }
  return false;
}

bool is_brought(std::string_view word, const Words& used, const std::vector<std::string_view>& texts) {
  return used.contains(word) &&
         std::ranges::none_of(texts, [&](std::string_view text) { return declares(text, word); });
}

// Returns the declarations that nvcc has without an include and `variant` uses. Sources with preludes are made for
// NVRTC: their preludes declare these names.
std::string prelude_of(const Variant& variant) {
  if (!variant.settings.preludes.empty()) return "";
  const std::vector<std::string_view> texts = texts_of(variant);
  Words used;
  for (const std::string_view text : texts) add_words(text, used);
  std::string prelude;
  for (const Brought& one : kBrought) {
    const auto uses = [&](std::string_view word) { return is_brought(word, used, texts); };
    if (std::ranges::any_of(words_in(one.words), uses)) prelude += include_line(one.header);
  }
  if (used.contains("std")) {
    for (const char* name : {"cmath", "cstdint", "cstring", "limits"}) prelude += include_line(name);
  }
  for (const TypeName& one : kTypeNames) {
    if (is_brought(one.name, used, texts))
      prelude += "typedef " + std::string(one.type) + " " + std::string(one.name) + ";\n";
  }
  return prelude.empty() ? "" : "#pragma once\n" + prelude;
}

void add_files(std::vector<File>& files, const Header& header) {
  std::string first;
  for (const std::string_view name : words_in(header.names)) {
    files.push_back(
        {std::string(name), "#pragma once\n" + (first.empty() ? header_text(*header.text) : include_line(first))});
    if (first.empty()) first = name;
  }
}

// Returns a header that forwards to CCCL and imports its names into namespace std.
File forwarded(const Forwarded& one) {
  std::string text = "#pragma once\n#include <cuda/std/" + std::string(one.name) + ">\nnamespace std {\n";
  for (const std::string_view member : words_in(one.members))
    text += "using ::cuda::std::" + std::string(member) + ";\n";
  return {std::string(one.name), text + "}\n"};
}

}  // namespace

DeviceHeaders device_headers(const Variant& variant, const std::vector<std::string>& folders,
                             const std::vector<std::string>& toolkit) {
  DeviceHeaders headers;
  const std::string prelude = prelude_of(variant);
  const bool includes = !variant.settings.preludes.empty() || std::ranges::any_of(texts_of(variant), may_include);
  if (!includes && prelude.empty()) return headers;
  std::vector<File>& files = headers.files;
  for (const Header& header : kHeaders) add_files(files, header);
  for (const char* name : {"assert.h", "cassert"}) files.push_back({name, std::string(nvrtc_device_asserts_text)});
  for (const std::string_view name : words_in(kEmpty)) files.push_back({std::string(name), "#pragma once\n"});
  for (const std::string_view name : words_in(kRuntime)) {
    if (!has_file(toolkit, name)) files.push_back({std::string(name), "#pragma once\n"});
  }
  for (const Forwarded& one : kForwarded) {
    if (has_file(toolkit, "cuda/std/" + std::string(one.name))) files.push_back(forwarded(one));
  }
  if (!folders.empty()) std::erase_if(files, [&](const File& file) { return has_file(folders, file.path); });
  if (!prelude.empty()) {
    files.push_back({kPrelude, prelude});
    headers.preludes.emplace_back(kPrelude);
  }
  return headers;
}

}  // namespace kmux::nvrtc
