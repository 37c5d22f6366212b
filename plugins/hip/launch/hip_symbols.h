#pragma once

// Every used function of HIP: X(name in the table, symbol, parameters). All return a hipError_t.
#define KMUX_HIP_CALLS(X)                                                                                           \
  X(device_count, hipGetDeviceCount, (int* count))                                                                  \
  X(device_get, hipGetDevice, (int* device))                                                                        \
  X(device_set, hipSetDevice, (int device))                                                                         \
  X(device_attribute, hipDeviceGetAttribute, (int* value, int attribute, int device))                               \
  X(device_name, hipDeviceGetName, (char* name, int size, int device))                                              \
  X(device_memory, hipDeviceTotalMem, (size_t* bytes, int device))                                                  \
  X(runtime_version, hipRuntimeGetVersion, (int* version))                                                          \
  X(module_load, hipModuleLoadData, (hipModule_t * module, const void* code))                                       \
  X(module_unload, hipModuleUnload, (hipModule_t module))                                                           \
  X(module_function, hipModuleGetFunction, (hipFunction_t * function, hipModule_t module, const char* name))        \
  X(module_global, hipModuleGetGlobal, (void** address, size_t* bytes, hipModule_t module, const char* name))       \
  X(launch, hipModuleLaunchKernel,                                                                                  \
    (hipFunction_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y, \
     unsigned block_z, unsigned shared_bytes, hipStream_t stream, void** arguments, void** extra))                  \
  X(allocate, hipMalloc, (void** address, size_t bytes))                                                            \
  X(free, hipFree, (void* address))                                                                                 \
  X(copy, hipMemcpyAsync, (void* to, const void* from, size_t bytes, int kind, hipStream_t stream))                 \
  X(host_allocate, hipHostMalloc, (void** address, size_t bytes, unsigned flags))                                   \
  X(host_free, hipHostFree, (void* address))                                                                        \
  X(copy_peer, hipMemcpyPeerAsync,                                                                                  \
    (void* to, int to_device, const void* from, int from_device, size_t bytes, hipStream_t stream))                 \
  X(memset, hipMemsetAsync, (void* address, int value, size_t bytes, hipStream_t stream))                           \
  X(memory_info, hipMemGetInfo, (size_t* free, size_t* total))                                                      \
  X(stream_create, hipStreamCreateWithFlags, (hipStream_t * stream, unsigned flags))                                \
  X(stream_create_with_priority, hipStreamCreateWithPriority, (hipStream_t * stream, unsigned flags, int priority)) \
  X(stream_destroy, hipStreamDestroy, (hipStream_t stream))                                                         \
  X(stream_synchronize, hipStreamSynchronize, (hipStream_t stream))                                                 \
  X(event_create, hipEventCreate, (hipEvent_t * event))                                                             \
  X(event_destroy, hipEventDestroy, (hipEvent_t event))                                                             \
  X(event_record, hipEventRecord, (hipEvent_t event, hipStream_t stream))                                           \
  X(event_synchronize, hipEventSynchronize, (hipEvent_t event))                                                     \
  X(event_elapsed, hipEventElapsedTime, (float* milliseconds, hipEvent_t begin, hipEvent_t end))

// Graph functions, only for option `graph`.
#define KMUX_HIP_GRAPH_CALLS(X)                                                                            \
  X(graph_create, hipGraphCreate, (hipGraph_t * graph, unsigned flags))                                    \
  X(graph_destroy, hipGraphDestroy, (hipGraph_t graph))                                                    \
  X(graph_add_kernel, hipGraphAddKernelNode,                                                               \
    (hipGraphNode_t * node, hipGraph_t graph, const hipGraphNode_t* after, size_t after_count,             \
     const kmux::hip::KernelNodeParams* params))                                                           \
  X(graph_add_memset, hipGraphAddMemsetNode,                                                               \
    (hipGraphNode_t * node, hipGraph_t graph, const hipGraphNode_t* after, size_t after_count,             \
     const kmux::hip::MemsetParams* params))                                                               \
  X(graph_instantiate, hipGraphInstantiate,                                                                \
    (hipGraphExec_t * executable, hipGraph_t graph, hipGraphNode_t * failed, char* log, size_t log_bytes)) \
  X(graph_launch, hipGraphLaunch, (hipGraphExec_t executable, hipStream_t stream))                         \
  X(executable_destroy, hipGraphExecDestroy, (hipGraphExec_t executable))                                  \
  X(executable_set_kernel, hipGraphExecKernelNodeSetParams,                                                \
    (hipGraphExec_t executable, hipGraphNode_t node, const kmux::hip::KernelNodeParams* params))           \
  X(executable_set_memset, hipGraphExecMemsetNodeSetParams,                                                \
    (hipGraphExec_t executable, hipGraphNode_t node, const kmux::hip::MemsetParams* params))

// Optional functions; null if the release lacks them.
#define KMUX_OPTIONAL_HIP_CALLS(X)                                                                                  \
  X(properties_r0600, hipGetDevicePropertiesR0600, (void* properties, int device))                                  \
  X(properties_r0000, hipGetDevicePropertiesR0000, (void* properties, int device))                                  \
  X(properties, hipGetDeviceProperties, (void* properties, int device))                                             \
  X(allocate_async, hipMallocAsync, (void** address, size_t bytes, hipStream_t stream))                             \
  X(free_async, hipFreeAsync, (void* address, hipStream_t stream))                                                  \
  X(default_pool, hipDeviceGetDefaultMemPool, (hipMemPool_t * pool, int device))                                    \
  X(pool_attribute_set, hipMemPoolSetAttribute, (hipMemPool_t pool, int attribute, void* value))                    \
  X(stream_capturing, hipStreamIsCapturing, (hipStream_t stream, int* status))                                      \
  X(stream_capture_info, hipStreamGetCaptureInfo, (hipStream_t stream, int* status, unsigned long long* id))        \
  X(exchange_capture_mode, hipThreadExchangeStreamCaptureMode, (int* mode))                                         \
  X(stream_wait_event, hipStreamWaitEvent, (hipStream_t stream, hipEvent_t event, unsigned flags))                  \
  X(event_create_with_flags, hipEventCreateWithFlags, (hipEvent_t * event, unsigned flags))                         \
  X(node_enable, hipGraphNodeSetEnabled, (hipGraphExec_t executable, hipGraphNode_t node, unsigned enabled))        \
  X(launch_cooperative, hipModuleLaunchCooperativeKernel,                                                           \
    (hipFunction_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y, \
     unsigned block_z, unsigned shared_bytes, hipStream_t stream, void** arguments))
