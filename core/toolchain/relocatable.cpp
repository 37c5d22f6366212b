#include "kmux/plugin/relocatable.h"

#include <algorithm>
#include <array>

#include "kmux/plugin/compiler_flags.h"
#include "kmux/plugin/include_scan.h"

namespace kmux {
namespace {

bool names_no_place(const std::vector<File>& files) {
  return std::ranges::none_of(files, [](const File& file) { return names_its_place(file.content); });
}

bool names_no_place(const std::vector<std::string>& texts) {
  return std::ranges::none_of(texts, [](const std::string& text) { return names_its_place(text); });
}

// Returns true for flags that embed no locations; flags for lines, traces and other folders are excluded.
bool is_plain(const std::string& flag) {
  constexpr std::array<std::string_view, 23> kPlain = {
      "-D",        "-U",         "-O",         "-W",       "-w",         "-m",       "-std=",           "--std=",
      "-ff",       "-fno-",      "-ftz=",      "--ftz=",   "-fmad=",     "--fmad=",  "-prec-",          "--prec-",
      "-restrict", "--restrict", "-use_fast_", "-Xptxas=", "--use_fast", "--maxrre", "--ptxas-options="};
  return begins_with_any(flag, kPlain);
}

}  // namespace

bool is_relocatable(const Variant& variant, const std::vector<std::string>& include_dirs,
                    const std::vector<std::string>& compile_flags, const Dependencies& headers, std::string_view code) {
  if (!headers.complete || headers.tells_places || !std::ranges::all_of(compile_flags, is_plain)) return false;
  if (!names_no_place(variant.sources) || !names_no_place(variant.headers)) return false;
  if (!names_no_place(variant.settings.defines) || !names_no_place(compile_flags)) return false;
  return std::ranges::none_of(include_dirs, [&](const std::string& folder) { return code.find(folder) != code.npos; });
}

void leave_out_folders(std::vector<std::string>& arguments, const std::vector<std::string>& include_dirs) {
  std::erase_if(arguments, [&](const std::string& argument) {
    return argument.starts_with("-I") && std::ranges::find(include_dirs, argument.substr(2)) != include_dirs.end();
  });
}

}  // namespace kmux
