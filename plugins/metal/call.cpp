#include "call.h"

#include <cstring>
#include <string>

namespace kmux::metal {
namespace {

constexpr Count kMemoryStep = 16;  // Source: Apple, setThreadgroupMemoryLength:atIndex:

[[gnu::cold, gnu::noinline]] int fail(kmux_sink error, kmux_code code, const std::string& text) {
  error.write(error.self, text.data(), text.size());
  return code;
}

std::string hexadecimal(const void* address) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text;
  for (auto rest = reinterpret_cast<std::uintptr_t>(address); rest != 0; rest /= 16)
    text.insert(0, 1, kDigits[rest % 16]);
  return "0x" + text;
}

[[gnu::cold, gnu::noinline]] int not_ours(kmux_sink error, const void* address, const std::string& what) {
  return fail(error, KMUX_INVALID_ARGUMENT,
              what + " is at " + hexadecimal(address) +
                  " (that is not memory of the device \"metal:0\" that kmux allocated). Copy the tensor to the device "
                  "first.");
}

int no_maps(kmux_sink error) {
  return fail(error, KMUX_UNSUPPORTED, "tensor maps cannot be encoded (Metal has none). Remove them from the variant.");
}

Call& call_of(const kmux_driver_env* env) { return *static_cast<Call*>(env->call); }

const kmux_driver kDriver = {[](const kmux_driver_env* env, const kmux_driver_launch* launch, kmux_sink error) {
                               return call_of(env).launch(*launch, error);
                             },
                             [](const kmux_driver_env* env, const kmux_driver_fill* fill, kmux_sink error) {
                               return call_of(env).fill(*fill, error);
                             },
                             [](const kmux_driver_env*, kmux_tensor_map*, const kmux_map_geometry*, const unsigned*,
                                kmux_sink error) { return no_maps(error); },
                             [](const kmux_driver_env*, kmux_tensor_map*, const kmux_map_geometry*, const int*,
                                const int*, unsigned, unsigned, kmux_sink error) { return no_maps(error); }};

}  // namespace

Call::Call(Gpu& gpu, const Launchable& program, const kmux_launch_env& env) noexcept
    : gpu_(gpu),
      objc_(gpu.objc()),
      program_(program),
      pool_(objc_),
      caller_allocator_(env.allocator),
      allocator_{
          sizeof allocator_, this,
          [](void* self, int32_t device, void* stream, std::size_t bytes, std::size_t alignment, void** address) {
            const kmux_allocator* const caller = static_cast<Call*>(self)->caller_allocator_;
            return caller->allocate(caller->self, device, stream, bytes, alignment, address);
          },
          [](void* self, int32_t, void*, void* address) {
            Call& call = *static_cast<Call*>(self);
            call.freed_[call.freed_count_++] = address;
          }},
      env_{env, &kDriver, this} {
  env_.env.allocator = &allocator_;
}

Call::~Call() {
  const kmux_launch_env& env = env_.env;
  while (freed_count_ > 0) {
    caller_allocator_->free(caller_allocator_->self, env.device, env.stream, freed_[--freed_count_]);
  }
}

// Returns an encoder of this kind, reusing the current one if possible. Encoders, and the commands of one encoder, run
// in order.
Id Call::encoder(Encoding kind) noexcept {
  if (encoding_ == kind) return encoder_;
  end_encoding();
  if (command_buffer_ == nullptr) command_buffer_ = objc_.command_buffer(gpu_.queue_of(env_.env.stream));
  encoder_ = kind == Encoding::kCompute ? objc_.compute_encoder(command_buffer_) : objc_.blit_encoder(command_buffer_);
  encoding_ = kind;
  encoded_memory_ = 0;
  return encoder_;
}

void Call::end_encoding() noexcept {
  if (encoding_ != Encoding::kNone) objc_.end_encoding(encoder_);
  encoding_ = Encoding::kNone;
}

int Call::launch(const kmux_driver_launch& launch, kmux_sink error) noexcept {
  const LoadedKernel& kernel = program_.kernels[launch.kernel];
  const Count memory = (launch.dynamic_smem_bytes + kMemoryStep - 1) / kMemoryStep * kMemoryStep;
  if (const int code = check(kernel, launch, memory, error)) return code;
  const Id encoder = this->encoder(Encoding::kCompute);
  objc_.set_pipeline(encoder, kernel.pipeline.get());
  if (const int code = bind(program_.launches[launch.step], encoder, launch.args, error)) return code;
  set_threadgroup_memory(encoder, memory);
  objc_.dispatch(encoder, {launch.grid[0], launch.grid[1], launch.grid[2]},
                 {launch.block[0], launch.block[1], launch.block[2]});
  return KMUX_OK;
}

// Sets the length if it has changed: the encoder keeps the length of the previous launch.
void Call::set_threadgroup_memory(Id encoder, Count bytes) noexcept {
  if (bytes == encoded_memory_) return;
  objc_.set_threadgroup_memory(encoder, bytes, 0);
  encoded_memory_ = bytes;
}

int Call::check(const LoadedKernel& kernel, const kmux_driver_launch& launch, Count memory,
                kmux_sink error) const noexcept {
  const unsigned* const block = launch.block;
  // Multiplies in two steps: the product of three extents may overflow.
  const Count plane = Count{block[0]} * block[1];
  if (plane > kernel.max_threads || plane * block[2] > kernel.max_threads) [[unlikely]] {
    return fail(error, KMUX_INVALID_ARGUMENT,
                "threadgroups of kernel \"" + kernel.name + "\" would have " + std::to_string(block[0]) + " x " +
                    std::to_string(block[1]) + " x " + std::to_string(block[2]) + " threads (its pipeline allows " +
                    std::to_string(kernel.max_threads) + "). Use a smaller block.");
  }
  const Count most = gpu_.max_threadgroup_memory();
  if (memory > most || kernel.threadgroup_memory > most - memory) [[unlikely]] {
    return fail(error, KMUX_INVALID_ARGUMENT,
                "threadgroups of kernel \"" + kernel.name + "\" would have " + std::to_string(memory) +
                    " bytes of memory and " + std::to_string(kernel.threadgroup_memory) +
                    " that the kernel declares (the device allows " + std::to_string(most) + "). Use smaller tiles.");
  }
  return KMUX_OK;
}

int Call::bind(const LaunchBindings& bindings, Id encoder, void* const* args, kmux_sink error) const noexcept {
  for (const LaunchBindings::Address& address : bindings.addresses) {
    const void* const memory = *static_cast<void* const*>(args[address.argument]);
    const Place place = memory == nullptr ? Place{} : gpu_.arena().find(memory);
    if (place.buffer == nullptr && memory != nullptr) [[unlikely]] {
      return not_ours(error, memory, "argument " + std::to_string(address.argument) + " of a kernel");
    }
    objc_.set_buffer(encoder, place.buffer, place.offset, address.index);
  }
  for (const LaunchBindings::Value& value : bindings.values) {
    objc_.set_bytes(encoder, args[value.argument], value.bytes, value.index);
  }
  if (!bindings.packed.empty()) {
    std::array<std::uint64_t, kMaxPacked> words;  // not initialized: the used ones are written below
    std::size_t count = 0;
    for (const std::size_t argument : bindings.packed) std::memcpy(&words[count++], args[argument], sizeof words[0]);
    objc_.set_bytes(encoder, words.data(), count * sizeof words[0], bindings.packed_index);
  }
  return KMUX_OK;
}

int Call::fill(const kmux_driver_fill& fill, kmux_sink error) noexcept {
  if (fill.bytes == 0) return KMUX_OK;
  const Place place = gpu_.arena().find(fill.target);
  if (place.buffer == nullptr) return not_ours(error, fill.target, "memory to fill");
  if (place.offset % kFillStep != 0 || fill.bytes % kFillStep != 0) {
    return fail(error, KMUX_UNSUPPORTED,
                "cannot fill " + std::to_string(fill.bytes) + " bytes at " + hexadecimal(fill.target) +
                    " (Metal fills multiples of 4 bytes). Fill whole numbers of them, or use a kernel.");
  }
  objc_.fill_buffer(encoder(Encoding::kBlit), place.buffer, {place.offset, fill.bytes}, fill.value);
  return KMUX_OK;
}

int Call::finish(int code) noexcept {
  end_encoding();
  if (command_buffer_ != nullptr && code == KMUX_OK) {
    gpu_.work_log().note(gpu_.queue_of(env_.env.stream), command_buffer_);
    gpu_.completion().commit(command_buffer_);
  }
  return code;
}

}  // namespace kmux::metal
