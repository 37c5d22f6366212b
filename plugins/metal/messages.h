#pragma once

namespace kmux::metal {

/// An object or a class of Objective-C.
using Id = void*;
using Selector = void*;
using Count = unsigned long;  // NSUInteger

/// MTLSize.
struct Size {
  Count width;
  Count height;
  Count depth;
};

/// NSRange.
struct Range {
  Count location;
  Count length;
};

/// A message: its selector, and the function type for objc_msgSend. A call must use the calling convention of the
/// receiving method, so each signature requires a separate type.
///
/// Threads: as the receiver.
template <class Signature>
struct Message;

template <class Result, class... Arguments>
struct Message<Result(Arguments...)> {
  using Function = Result (*)(Id, Selector, Arguments...);
  Function send = nullptr;
  Selector selector = nullptr;
  Result operator()(Id receiver, Arguments... arguments) const { return send(receiver, selector, arguments...); }
};

/// Every message that this backend sends: name here, type, selector. None returns a struct, which would require
/// objc_msgSend_stret on x86-64.
///
/// Source: Apple's documentation of NSObject, NSString, NSError and of the MTL protocols.
// clang-format off
#define KMUX_METAL_MESSAGES(X)                                                                       \
  X(make, Id(), "new")                                                                               \
  X(retain, Id(), "retain")                                                                          \
  X(release, void(), "release")                                                                      \
  X(string_with_utf8, Id(const char*), "stringWithUTF8String:")                                      \
  X(utf8, const char*(), "UTF8String")                                                               \
  X(localized_description, Id(), "localizedDescription")                                             \
  X(device_name, Id(), "name")                                                                       \
  X(max_threadgroup_memory, Count(), "maxThreadgroupMemoryLength")                                   \
  X(working_set_bytes, unsigned long long(), "recommendedMaxWorkingSetSize")                         \
  X(allocated_bytes, Count(), "currentAllocatedSize")                                                \
  X(new_queue, Id(), "newCommandQueue")                                                              \
  X(new_event, Id(), "newEvent")                                                                     \
  X(new_buffer, Id(void*, Count, Count, Id), "newBufferWithBytesNoCopy:length:options:deallocator:") \
  X(new_library_of_source, Id(Id, Id, Id*), "newLibraryWithSource:options:error:")                   \
  X(new_library_of_data, Id(Id, Id*), "newLibraryWithData:error:")                                   \
  X(new_pipeline, Id(Id, Id*), "newComputePipelineStateWithFunction:error:")                         \
  X(set_fast_math, void(signed char), "setFastMathEnabled:")                                         \
  X(set_math_mode, void(long), "setMathMode:")                                                       \
  X(responds_to, signed char(Selector), "respondsToSelector:")                                       \
  X(set_language_version, void(Count), "setLanguageVersion:")                                        \
  X(new_function, Id(Id), "newFunctionWithName:")                                                    \
  X(new_special_function, Id(Id, Id, Id*), "newFunctionWithName:constantValues:error:")              \
  X(set_constant_at, void(const void*, Count, Count), "setConstantValue:type:atIndex:")              \
  X(set_constant_named, void(const void*, Count, Id), "setConstantValue:type:withName:")             \
  X(max_threads, Count(), "maxTotalThreadsPerThreadgroup")                                           \
  X(static_threadgroup_memory, Count(), "staticThreadgroupMemoryLength")                             \
  X(command_buffer, Id(), "commandBuffer")                                                           \
  X(add_completed_handler, void(const void*), "addCompletedHandler:")                                \
  X(signal_event, void(Id, unsigned long long), "encodeSignalEvent:value:")                          \
  X(wait_for_event, void(Id, unsigned long long), "encodeWaitForEvent:value:")                       \
  X(commit, void(), "commit")                                                                        \
  X(wait, void(), "waitUntilCompleted")                                                              \
  X(status, Count(), "status")                                                                       \
  X(failure_of, Id(), "error")                                                                       \
  X(gpu_end_time, double(), "GPUEndTime")                                                            \
  X(gpu_start_time, double(), "GPUStartTime")                                                        \
  X(compute_encoder, Id(), "computeCommandEncoder")                                                  \
  X(blit_encoder, Id(), "blitCommandEncoder")                                                        \
  X(end_encoding, void(), "endEncoding")                                                             \
  X(set_pipeline, void(Id), "setComputePipelineState:")                                              \
  X(set_buffer, void(Id, Count, Count), "setBuffer:offset:atIndex:")                                 \
  X(set_bytes, void(const void*, Count, Count), "setBytes:length:atIndex:")                          \
  X(set_threadgroup_memory, void(Count, Count), "setThreadgroupMemoryLength:atIndex:")               \
  X(dispatch, void(Size, Size), "dispatchThreadgroups:threadsPerThreadgroup:")                       \
  X(fill_buffer, void(Id, Range, unsigned char), "fillBuffer:range:value:")                          \
  X(copy_buffer, void(Id, Count, Id, Count, Count), "copyFromBuffer:sourceOffset:toBuffer:destinationOffset:size:")
// clang-format on

}  // namespace kmux::metal
