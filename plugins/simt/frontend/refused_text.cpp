#include "simt/frontend/refused_text.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "kmux/plugin/compile_log.h"

#include "simt/analysis/names.h"
#include "simt/analysis/refusals.h"
#include "simt/frontend/installation.h"

namespace kmux::simt {
namespace {

constexpr std::string_view kError = "error: ";
constexpr std::string_view kFrom = "In file included from ";

// Returns "k.cu:3" for the line "k.cu:3:7: error: ...".
std::string_view place_in(std::string_view line) {
  const std::string_view place = line.substr(0, line.find(": "));
  return place.substr(0, place.rfind(':'));
}

// Returns the place that the first of the lines "In file included from ..." above the one at `at` names.
std::string_view included_from(std::string_view log, std::size_t at) {
  std::string_view found;
  while (at > 0) {
    const std::size_t before = log.rfind('\n', at - 2);
    const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
    const std::string_view line = log.substr(begin, at - 1 - begin);
    if (!line.starts_with(kFrom)) break;
    found = line.substr(kFrom.size(), line.size() - kFrom.size() - 1);
    at = begin;
  }
  return found;
}

// Returns the reason in a line, for example "not for this processor (textures)".
std::string_view reason_in(std::string_view line) {
  const std::size_t mark = line.find(kRefusedMark);
  return mark == line.npos ? std::string_view() : line.substr(mark, line.rfind(')') + 1 - mark);
}

// Returns the reason that refuses what needs `what`.
std::string refusal_for(std::string_view what) { return std::string(kRefusedMark).append(what).append(")"); }

// Returns the header in the line of an #error of device/.
std::string header_in(std::string_view line) {
  std::string_view file = line.substr(0, line.find(':'));
  if (const std::size_t at = file.find(kDeviceFolder); at != file.npos) file.remove_prefix(at + kDeviceFolder.size());
  return "<" + std::string(file) + ">";
}

// Returns true if a line reports a constraint of PTX that no register of this processor has ("=f", "=h").
bool is_constraint(std::string_view line) { return line.find("constraint '") != line.npos && line.ends_with("in asm"); }

/// A library for GPUs, of CUDA or others, and the beginning of its headers' names.
struct Library {
  std::string_view beginning;
  std::string_view name;
};

constexpr Library kLibraries[] = {
    {"ATen/", "PyTorch"},     {"c10/", "PyTorch"},      {"cooperative_groups/", "cooperative groups"},
    {"cub/", "CUB"},          {"cublas", "cuBLAS"},     {"cuda/", "libcu++"},
    {"cudnn", "cuDNN"},       {"cufft", "cuFFT"},       {"curand", "cuRAND"},
    {"cusolver", "cuSOLVER"}, {"cusparse", "cuSPARSE"}, {"cute/", "CUTLASS"},
    {"cutlass/", "CUTLASS"},  {"nv/", "libcu++"},       {"nvshmem", "NVSHMEM"},
    {"thrust/", "Thrust"},    {"torch/", "PyTorch"}};

// Returns the library for GPUs to which a missing header belongs; empty if none.
std::string_view library_of_header(std::string_view header) {
  const auto found =
      std::ranges::find_if(kLibraries, [&](const Library& one) { return header.starts_with(one.beginning); });
  return found == std::end(kLibraries) ? std::string_view() : found->name;
}

// Returns the note below the error at `line` that names where a file of the program requested the code in error.
std::string_view request_below(std::string_view log, std::string_view line) {
  constexpr std::string_view kRequested = " requested here";
  std::size_t begin = static_cast<std::size_t>(line.data() - log.data()) + line.size() + 1;
  while (begin < log.size()) {
    const std::size_t end = std::min(log.find('\n', begin), log.size());
    const std::string_view note = log.substr(begin, end - begin);
    if (note.find(kError) != note.npos) break;
    if (note.ends_with(kRequested) && note.find(kDeviceFolder) == note.npos) return note;
    begin = end + 1;
  }
  return {};
}

// Returns "k.cu:6:3: error: TEXT, in 'atomicAnd<float>'" for the error "atomics.h:14:24: error: TEXT", which `note`
// traces to the program.
std::string as_request(std::string_view line, std::string_view note) {
  constexpr std::string_view kNote = ": note: ";
  std::string text(note.substr(0, note.find(kNote) + 2));
  text.append(line.substr(line.find(kError)));
  const std::size_t name = note.find('\''), end = note.rfind('\'');
  return name == end ? text : text.append(", in ").append(note.substr(name, end + 1 - name));
}

}  // namespace

Error device_error(const std::string& path, std::string_view log) {
  Error error = compile_error("cannot compile \"" + path + "\"", log);
  const std::string_view line = first_error(log);
  if (line.substr(0, line.find(kError)).find(kDeviceFolder) == line.npos) return error;
  const std::string_view note = request_below(log, line);
  const std::size_t at = error.message.find(line);
  if (!note.empty() && at != error.message.npos) error.message.replace(at, line.size(), as_request(line, note));
  return error;
}

std::optional<Error> refusal_of(std::string_view log) {
  const std::string_view line = first_error(log);
  if (line.empty()) return std::nullopt;
  const std::string whole(log);
  if (is_constraint(line)) {
    return refused_construct(place_in(line), "inline assembly", refusal_for("PTX")).with("log", whole);
  }
  if (const std::string_view library = library_of_header(missing_header(line)); !library.empty()) {
    const std::string header = "<" + std::string(missing_header(line)) + ">";
    return refused_construct(place_in(line), header, refusal_for(library)).with("log", whole);
  }
  const std::string_view reason = reason_in(line);
  if (reason.empty()) return std::nullopt;
  const std::string_view from = included_from(log, static_cast<std::size_t>(line.data() - log.data()));
  return refused_construct(from.empty() ? place_in(line) : from, header_in(line), reason).with("log", whole);
}

}  // namespace kmux::simt
