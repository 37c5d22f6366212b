#include "compile_pool.h"

#include "cache/artifact_cache.h"

namespace kmux {
namespace {

constexpr const char* kCostsFile = "compile-costs.json";

std::filesystem::path costs_file(const ArtifactCache* cache) {
  return cache == nullptr || cache->why_read_only() ? std::filesystem::path() : cache->folder() / kCostsFile;
}

}  // namespace

CompilePool::CompilePool(const ArtifactCache* cache) : costs_(costs_file(cache)) {}

}  // namespace kmux
