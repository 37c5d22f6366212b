#include "program_view.h"

#include <cstddef>

#include "kmux/dispatch_json.h"

namespace kmux {

namespace {

kmux_bytes bytes_of(const std::string& text) { return {text.data(), text.size()}; }

Error wrong_count(std::size_t blobs, const std::string& files) {
  return make_error(ErrorCode::kInvalidArgument, "the program view has " + std::to_string(blobs) +
                                                     " blobs (its JSON names " + files +
                                                     " files). Give one blob a file, in the order of the variants.");
}

}  // namespace

ProgramView::ProgramView(const Program& program) : json_(to_json(program)) {
  for (const Variant& variant : program.variants) {
    for (const File& file : variant.sources) blobs_.push_back(bytes_of(file.content));
    for (const File& file : variant.headers) blobs_.push_back(bytes_of(file.content));
  }
  view_ = {sizeof view_, bytes_of(json_), blobs_.data(), blobs_.size()};
}

Result<Program> read_program(const kmux_program_view& view) {
  if (view.struct_size < KMUX_PROGRAM_VIEW_LEAST) {
    return make_error(ErrorCode::kInvalidArgument,
                      "the program view is too small (version 1 of the plugin ABI has more). Update kmux.");
  }
  std::size_t next = 0;
  const auto next_blob = [&](const std::string&) -> Result<std::string> {
    if (next == view.blob_count) return wrong_count(view.blob_count, "more");
    const kmux_bytes& blob = view.blobs[next++];
    return std::string(blob.data, blob.size);
  };
  KMUX_ASSIGN(Program program, from_json({view.json.data, view.json.size}, next_blob));
  if (next != view.blob_count) return wrong_count(view.blob_count, std::to_string(next));
  return program;
}

}  // namespace kmux
