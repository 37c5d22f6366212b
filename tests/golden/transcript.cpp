#include "transcript.h"

#include <cstring>
#include <sstream>

namespace kmux::test {
namespace {

// Enough calls to cover a long loop.
constexpr std::size_t kMaxCalls = 60;

template <class Number>
std::string list(const Number* numbers, std::size_t count) {
  std::ostringstream out;
  for (std::size_t i = 0; i < count; ++i) out << (i == 0 ? "" : ",") << +numbers[i];
  return "(" + out.str() + ")";
}

std::string text_of(const void* address) { return std::to_string(reinterpret_cast<std::uintptr_t>(address)); }

std::size_t size_of(DType type) {
  const std::int64_t bits = total_bits(type);
  return bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
}

std::size_t size_of(const PlanArg& arg) {
  if (const auto* scalar = std::get_if<PlanScalar>(&arg)) return size_of(scalar->dtype);
  if (const auto* value = std::get_if<PlanValue>(&arg)) return size_of(value->dtype);
  if (const auto* record = std::get_if<PlanStruct>(&arg)) return record->bytes;
  return std::holds_alternative<PlanMapArg>(arg) ? sizeof(kmux_tensor_map) : sizeof(void*);
}

}  // namespace

Transcript::Transcript(const Plan& plan, std::size_t fails_at)
    : plan_(plan),
      fails_at_(fails_at),
      driver_{&launch, &fill, &encode_tiled, &encode_im2col},
      allocator_{sizeof(kmux_allocator), this, &allocate, &free},
      env_{{sizeof(kmux_launch_env), 2, this, &allocator_, 5, 0}, &driver_, this} {}

std::string Transcript::text(int code) const {
  std::string text;
  for (const std::string& line : lines_) text.append(line).append("\n");
  return text + "= " + std::to_string(code) + " " + error_ + "\n";
}

int Transcript::note(std::string line, kmux_sink* error) {
  lines_.push_back(std::move(line));
  if (lines_.size() - 1 != fails_at_ && lines_.size() < kMaxCalls) return KMUX_OK;
  if (error != nullptr) error->write(error->self, "it failed", 9);
  return KMUX_LAUNCH_FAILED;
}

const PlanLaunch* Transcript::find(const std::vector<PlanStep>& steps, unsigned step) const {
  for (const PlanStep& each : steps) {
    const PlanLaunch* found = std::get_if<PlanLaunch>(&each);
    if (found != nullptr && found->step != step) found = nullptr;
    if (const auto* guard = std::get_if<PlanIf>(&each)) {
      found = find(guard->then_steps, step);
      if (found == nullptr) found = find(guard->else_steps, step);
    }
    if (const auto* loop = std::get_if<PlanFor>(&each)) found = find(loop->steps, step);
    if (found != nullptr) return found;
  }
  return nullptr;
}

std::string Transcript::launch_text(const kmux_driver_launch& launch) const {
  std::string text = "launch " + std::to_string(launch.kernel) + " step " + std::to_string(launch.step);
  text += " grid " + list(launch.grid, 3) + " block " + list(launch.block, 3) + " cluster " + list(launch.cluster, 3);
  text += " smem " + std::to_string(launch.dynamic_smem_bytes) + " flags " + std::to_string(launch.flags);
  const PlanLaunch* const plan = find(plan_.steps, launch.step);
  if (plan == nullptr) return text + " of no such step";
  if (plan->args.empty() != (launch.args == nullptr)) text += " with wrong args";
  for (std::size_t i = 0; i < plan->args.size(); ++i) {
    text += " " + list(static_cast<const unsigned char*>(launch.args[i]), size_of(plan->args[i]));
  }
  for (unsigned i = 0; i < launch.window_count; ++i) {
    const kmux_driver_window& window = launch.windows[i];
    text +=
        " window " + text_of(window.base) + " " + std::to_string(window.bytes) + " " + std::to_string(window.hit_ratio);
  }
  return text;
}

std::string Transcript::geometry_text(const kmux_map_geometry& geometry) const {
  const unsigned modes[] = {geometry.dtype, geometry.interleave, geometry.swizzle, geometry.l2_promotion,
                            geometry.oob_fill};
  return std::string(geometry.name) + " " + std::to_string(geometry.index) + " at " + text_of(geometry.base) +
         " dims " + list(geometry.dims, geometry.rank) + " strides " + list(geometry.strides_bytes, geometry.rank - 1) +
         " steps " + list(geometry.element_strides, geometry.rank) + " modes " + list(modes, 5);
}

int Transcript::launch(const kmux_driver_env* env, const kmux_driver_launch* launch, kmux_sink error) {
  return of(env).note(of(env).launch_text(*launch), &error);
}

int Transcript::fill(const kmux_driver_env* env, const kmux_driver_fill* fill, kmux_sink error) {
  return of(env).note("fill " + std::to_string(fill->step) + " at " + text_of(fill->target) + " " +
                          std::to_string(fill->bytes) + " of " + std::to_string(fill->value),
                      &error);
}

int Transcript::encode_tiled(const kmux_driver_env* env, kmux_tensor_map* map, const kmux_map_geometry* geometry,
                             const unsigned int* box, kmux_sink error) {
  std::memset(map->bytes, static_cast<int>(geometry->index + 1), sizeof map->bytes);
  const std::string aligned = reinterpret_cast<std::uintptr_t>(map) % 64 == 0 ? "" : " not aligned";
  return of(env).note("tiled " + of(env).geometry_text(*geometry) + " box " + list(box, geometry->rank) + aligned,
                      &error);
}

int Transcript::encode_im2col(const kmux_driver_env* env, kmux_tensor_map* map, const kmux_map_geometry* geometry,
                              const int* lower_corner, const int* upper_corner, unsigned int channels_per_pixel,
                              unsigned int pixels_per_column, kmux_sink error) {
  std::memset(map->bytes, static_cast<int>(geometry->index + 1), sizeof map->bytes);
  const std::size_t spatial = geometry->rank - 2;
  return of(env).note("im2col " + of(env).geometry_text(*geometry) + " corners " + list(lower_corner, spatial) +
                          list(upper_corner, spatial) + " " + std::to_string(channels_per_pixel) + " " +
                          std::to_string(pixels_per_column),
                      &error);
}

kmux_code Transcript::allocate(void* self, std::int32_t device, void* stream, std::size_t bytes, std::size_t alignment,
                               void** address) {
  auto& of = *static_cast<Transcript*>(self);
  *address = reinterpret_cast<void*>((of.lines_.size() + 1) * 4096);
  return of.note("allocate " + std::to_string(bytes) + " at " + std::to_string(alignment) + " on " +
                     std::to_string(device) + (stream == self ? "" : " on another stream"),
                 nullptr);
}

void Transcript::free(void* self, std::int32_t device, void* stream, void* address) {
  static_cast<Transcript*>(self)->lines_.push_back("free " + text_of(address) + " on " + std::to_string(device) +
                                                   (stream == self ? "" : " on another stream"));
}

}  // namespace kmux::test
