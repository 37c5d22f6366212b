#include "output_kind.h"

#include <array>
#include <fstream>
#include <string>

#include "kmux/json.h"
#include "kmux/plugin/file_io.h"

#include "bundle_reader.h"
#include "cache_bundle.h"

namespace kmux::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHeadBytes = 1024;  // more than what any kind is recognised by

std::string head_of(const fs::path& file) {
  std::string head(kHeadBytes, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(in.gcount()));
  return head;
}

/// Has the head `text` in its first line?
bool has_in_first_line(std::string_view head, std::string_view text) {
  return head.substr(0, head.find('\n')).find(text) != std::string_view::npos;
}

bool has_key(const fs::path& file, std::string_view key) {
  const Result<std::string> text = read_file(file);
  const Result<Json> json = text ? parse_json(*text) : Result<Json>(text.error());
  return json && json->find(key) != nullptr;
}

/// An empty cache makes a bundle without members.
bool is_bundle(const fs::path& file) {
  Result<BundleReader> reader = BundleReader::open(file);
  if (!reader) return false;
  const Result<std::optional<BundleMember>> first = reader->next();
  return first && (!*first || (*first)->path.starts_with(kBundleRoot));
}

/// The entry for TVM-FFI stands in every exported library, and hardly in another.
bool is_exported_library(const fs::path& file) {
  if (!head_of(file).starts_with("\x7f"
                                 "ELF"))
    return false;
  const Result<std::string> bytes = read_file(file);
  return bytes && bytes->find("__tvm_ffi_") != std::string::npos;
}

bool is_page(std::string_view head) {
  return head.starts_with("<!doctype html>") && head.find("<title>kmux bench</title>") != std::string_view::npos;
}

}  // namespace

std::string_view name_of(OutputKind kind) {
  static constexpr std::array<std::string_view, 10> kNames = {"an artifact",
                                                              "a bundle of `kmux cache export`",
                                                              "a table of `kmux bench`",
                                                              "a header of `kmux export`",
                                                              "a library of `kmux export`",
                                                              "a lock file",
                                                              "a page of `kmux bench`",
                                                              "a report of `kmux bench`",
                                                              "a .npy file",
                                                              "a trace of kmux"};
  return kNames[static_cast<std::size_t>(kind)];
}

bool is_of_kind(const fs::path& file, OutputKind kind) {
  switch (kind) {
    case OutputKind::kArtifact:
      return head_of(file).starts_with("kmuxart\n");
    case OutputKind::kBundle:
      return is_bundle(file);
    case OutputKind::kCsv:
      return head_of(file).starts_with("program,axes,backend,state,column,");
    case OutputKind::kHeader:
      return head_of(file).starts_with("/* ") && has_in_first_line(head_of(file), " of kmux ");
    case OutputKind::kLibrary:
      return is_exported_library(file);
    case OutputKind::kLock:
      return has_key(file, "kmux_lock");
    case OutputKind::kPage:
      return is_page(head_of(file));
    case OutputKind::kReport:
      return has_key(file, "kmux_bench");
    case OutputKind::kTensor:
      return head_of(file).starts_with("\x93NUMPY");
    case OutputKind::kTrace:
      return head_of(file).starts_with(R"({"displayTimeUnit":"ns","otherData":{"dropped":)");
  }
  return false;
}

}  // namespace kmux::cli
