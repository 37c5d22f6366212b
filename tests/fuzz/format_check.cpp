#include "fuzz/format_check.h"

#include <algorithm>

#include "kmux/artifact.h"
#include "kmux/dispatch_json.h"
#include "kmux/manifest.h"
#include "kmux/npy.h"
#include "kmux/plugin/file_io.h"

#include "cache/disk/entry_files.h"
#include "cache/disk/packed_entry.h"
#include "cache/remote/remote_value.h"
#include "cli/cache_bundle.h"
#include "isolation/worker_frame.h"
#include "plugin/backend_json.h"
#include "temp_folder.h"
#include "unit/random_program.h"

namespace kmux {
namespace {

/// Returns an empty text if the error is readable for people.
std::string shown(const Error& error) {
  if (error.message.empty()) return "an error without a message";
  return error.explain().empty() ? "an error that shows nothing" : "";
}

/// Returns a path to a file with `bytes`. There is one file per process: the fuzzer has one thread.
std::filesystem::path file_with(std::string_view bytes) {
  static const TempFolder& folder = *new TempFolder;
  return folder.write("bytes", std::string(bytes));
}

constexpr std::uint32_t kSeeds = 20;

template <class Make>
std::vector<std::string> seeds_of(const Make& make) {
  std::vector<std::string> seeds;
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) seeds.push_back(make(seed));
  return seeds;
}

std::string check_program(std::string_view bytes) {
  const FileReader no_files = [](const std::string&) { return std::string(); };
  const Result<Program> program = from_json(bytes, no_files);
  if (!program) return shown(program.error());
  const std::string text = to_json(*program);
  const Result<Program> again = from_json(text, files_of(*program));
  if (!again) return "what was written cannot be read: " + again.error().message;
  return *again == *program ? "" : "it is read back as another program: " + text;
}

std::vector<std::string> program_seeds() {
  return seeds_of([](std::uint32_t seed) {
    Program program = random_program(seed);
    for (Variant& variant : program.variants) {
      for (auto* const files : {&variant.sources, &variant.headers})
        for (File& file : *files) file.content.clear();  // as the readers get them
    }
    return to_json(program);
  });
}

/// Returns the value of a name, the product of its letters: some large, some negative, some missing. Overflow wraps.
std::optional<std::int64_t> value_of(std::string_view name) {
  if (name.size() > 3) return std::nullopt;
  std::uint64_t value = 1;
  for (const char letter : name) value *= static_cast<std::uint64_t>((letter - 'n') * 1'000'003);
  return static_cast<std::int64_t>(value);
}

std::string check_expression(std::string_view bytes) {
  const Result<Expr> expr = expr_from_json(bytes);
  if (!expr) return shown(expr.error());
  const Result<std::int64_t> value = evaluate(*expr, value_of);
  if (!value && !shown(value.error()).empty()) return shown(value.error());
  const Result<Expr> again = expr_from_json(to_json(*expr));
  if (!again || !(*again == *expr)) return "it is read back as another expression: " + to_json(*expr);
  const Result<std::int64_t> same = evaluate(*again, value_of);
  const bool is_same = value.ok() == same.ok() && (!value || *value == *same);
  return is_same ? "" : "it has another value the second time";
}

std::vector<std::string> expression_seeds() {
  const Expr n = Expr::symbol("n"), m = Expr::symbol("m");
  return {to_json(ceildiv(n, 256) * Expr(4)), to_json(select(n > m, floormod(n, m), truncdiv(m, -3))),
          to_json(Expr::cast(dtype::kInt32, (n & Expr(63)) << Expr(3))), to_json(min(max(n, 0), m))};
}

std::string check_manifest(std::string_view bytes) {
  const Result<Manifest> manifest = read_manifest(file_with(bytes));
  return manifest ? "" : shown(manifest.error());
}

std::vector<std::string> manifest_seeds() {
  return {
      R"({"name":"a","version":"1","library":"a.so","abi":{"min":1,"max":1},"build_id":"0a","targets":["a"],"dialects":["c"],)"
      R"("device_types":[1],"needs":[{"library":"l","hint":"h"}],"environment":{"a.b":["C"]},"critical":["name"],"x":1})"};
}

std::string check_artifact(std::string_view bytes) {
  const Result<Artifact> artifact = deserialize(bytes);
  if (!artifact) return shown(artifact.error());
  return serialize(*artifact) == bytes ? "" : "it is written as other bytes";
}

std::vector<std::string> artifact_seeds() {
  return {serialize(Artifact{{{"code", "1234"}, {"meta.json", "{}"}}}), serialize(Artifact{})};
}

EntryManifest entry_manifest() {
  return {
      .key = std::string(64, 'a'), .parts = "{}", .created_ns = 7, .files = {{"artifact", {3, std::string(64, 'b')}}}};
}

std::string check_entry(std::string_view bytes) {
  const Result<EntryManifest> manifest = entry_manifest_from_json(bytes);
  if (!manifest) return shown(manifest.error());
  return to_json(*manifest) == bytes ? "" : "it is written as other bytes";
}

std::vector<std::string> entry_seeds() {
  EntryManifest unsupported = entry_manifest();
  unsupported.files.clear();
  unsupported.unsupported = make_error(ErrorCode::kUnsupported, "no").with("path", "/x");
  return {to_json(entry_manifest()), to_json(unsupported)};
}

PackedEntry packed_entry(char state = '0') {
  const EntryManifest manifest = entry_manifest();
  PackedEntry packed;
  packed.key = manifest.key;
  packed.second = std::string(64, state);
  packed.files = {{kManifestFile, to_json(manifest)}, {kArtifactFile, "abc"}};
  return packed;
}

constexpr std::string_view kSecret = "a secret that nobody guesses";

std::string check_remote(std::string_view bytes) {
  const std::string key(64, 'a');
  for (const std::string_view secret : {std::string_view(), kSecret}) {
    const RemoteValue value = read_remote_bytes(key, bytes, secret);
    if (value.entries.size() > kMaxRemoteEntries) return "more entries than a value has";
    for (const PackedEntry& entry : value.entries) read_entry(entry);
  }
  return "";
}

std::vector<std::string> remote_seeds() {
  return {to_remote_bytes({packed_entry()}, ""), to_remote_bytes({packed_entry(), packed_entry('1')}, kSecret)};
}

std::string check_bundle(std::string_view bytes) {
  Result<cli::BundleReader> reader = cli::BundleReader::open(file_with(bytes));
  if (!reader) return shown(reader.error());
  for (int members = 0; members < 1000; ++members) {
    const auto member = reader->next();
    if (!member) return shown(member.error());
    if (!*member) return "";
    const auto content = reader->content();
    if (!content) return shown(content.error());
  }
  return "";
}

std::string check_npy(std::string_view bytes) {
  const Result<Tensor> tensor = load_npy(file_with(bytes).string());
  if (!tensor) return shown(tensor.error());
  static const TempFolder& folder = *new TempFolder;
  const std::string copy = (folder.path() / "copy.npy").string();
  if (const Status saved = save_npy(copy, *tensor); !saved) return "it cannot be written: " + saved.error().message;
  const Result<Tensor> again = load_npy(copy, tensor->dtype());
  if (!again) return "what was written cannot be read: " + again.error().message;
  const bool is_same = std::ranges::equal(again->shape(), tensor->shape()) && again->dtype() == tensor->dtype();
  return is_same ? "" : "it is read back with another shape or type";
}

std::vector<std::string> npy_seeds() {
  static const TempFolder& folder = *new TempFolder;
  const std::string path = (folder.path() / "seed.npy").string();
  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  std::vector<std::string> seeds;
  for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{6}, {2, 3}, {1, 6, 1}}) {
    if (!save_npy(path, Tensor::from<float>(shape, dtype::kFloat32, values).value())) continue;
    seeds.push_back(read_file(path).value());
  }
  return seeds;
}

/// Reads the bytes in one piece and byte by byte: the frames must be equal wherever the stream is cut.
std::string check_frames(std::string_view bytes) {
  FrameReader whole, pieces;
  whole.append(bytes);
  std::size_t given = 0;
  for (;;) {
    const auto frame = whole.next();
    auto piece = pieces.next();
    while (piece && !*piece && given < bytes.size()) {
      pieces.append(bytes.substr(given++, 1));
      piece = pieces.next();
    }
    if (frame.ok() != piece.ok()) return "a frame in pieces is another";
    if (!frame) return shown(frame.error());
    if (*frame != *piece) return "a frame in pieces is another";
    if (!*frame) return "";
    const Result<std::string> written = encode(**frame);
    if (!written) return "a frame that was read cannot be written";
    if (const auto request = RequestParts::read(**frame, 1); !request && !shown(request.error()).empty()) {
      return shown(request.error());
    }
  }
}

std::vector<std::string> frame_seeds() {
  const std::string wrap = encode({FrameKind::kWrap, {"/", "{}", "0", "c", "{}", "", ""}}).value();
  return {wrap, wrap + encode({FrameKind::kReply, {"0", "out", "", "4096"}}).value()};
}

std::vector<std::string> bundle_seeds() {
  static const TempFolder& folder = *new TempFolder;
  const std::filesystem::path path = folder.path() / "seed.tar.zst";
  auto writer = cli::BundleWriter::create(path).value();
  writer.add("a/file", "content").value();
  writer.add("b", std::string(2000, 'x')).value();
  writer.finish().value();
  return {read_file(path).value()};
}

constexpr Format kFormats[] = {
    {"program", check_program, program_seeds},    {"expression", check_expression, expression_seeds},
    {"manifest", check_manifest, manifest_seeds}, {"artifact", check_artifact, artifact_seeds},
    {"entry", check_entry, entry_seeds},          {"remote", check_remote, remote_seeds},
    {"bundle", check_bundle, bundle_seeds},       {"npy", check_npy, npy_seeds},
    {"frames", check_frames, frame_seeds},
};

}  // namespace

std::span<const Format> formats() { return kFormats; }

const Format* find_format(std::string_view name) {
  const auto found = std::ranges::find(kFormats, name, &Format::name);
  return found == std::end(kFormats) ? nullptr : found;
}

}  // namespace kmux
