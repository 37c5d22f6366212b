#pragma once

// Every driver call of kmux: KMUX_CALL(name in the table, exported symbol, parameters). All return a CUresult.
#define KMUX_DRIVER_CALLS(KMUX_CALL)                                                                                 \
  KMUX_CALL(init, cuInit, (unsigned flags))                                                                          \
  KMUX_CALL(driver_version, cuDriverGetVersion, (int* version))                                                      \
  KMUX_CALL(error_name, cuGetErrorName, (CUresult code, const char** text))                                          \
  KMUX_CALL(error_string, cuGetErrorString, (CUresult code, const char** text))                                      \
  KMUX_CALL(device_count, cuDeviceGetCount, (int* count))                                                            \
  KMUX_CALL(device_get, cuDeviceGet, (CUdevice * device, int ordinal))                                               \
  KMUX_CALL(device_name, cuDeviceGetName, (char* name, int size, CUdevice device))                                   \
  KMUX_CALL(device_attribute, cuDeviceGetAttribute, (int* value, CUdevice_attribute attribute, CUdevice device))     \
  KMUX_CALL(device_total_memory, cuDeviceTotalMem_v2, (size_t* bytes, CUdevice device))                              \
  KMUX_CALL(primary_retain, cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device))                        \
  KMUX_CALL(primary_release, cuDevicePrimaryCtxRelease_v2, (CUdevice device))                                        \
  KMUX_CALL(current_get, cuCtxGetCurrent, (CUcontext * context))                                                     \
  KMUX_CALL(current_set, cuCtxSetCurrent, (CUcontext context))                                                       \
  KMUX_CALL(current_device, cuCtxGetDevice, (CUdevice * device))                                                     \
  KMUX_CALL(limit_get, cuCtxGetLimit, (size_t* value, CUlimit limit))                                                \
  KMUX_CALL(limit_set, cuCtxSetLimit, (CUlimit limit, size_t value))                                                 \
  KMUX_CALL(reset_persisting, cuCtxResetPersistingL2Cache, (void))                                                   \
  KMUX_CALL(library_load, cuLibraryLoadData,                                                                         \
            (CUlibrary * library, const void* code, int* jit_options, void** jit_values, unsigned jit_count,         \
             int* library_options, void** library_values, unsigned library_count))                                   \
  KMUX_CALL(library_unload, cuLibraryUnload, (CUlibrary library))                                                    \
  KMUX_CALL(library_kernel, cuLibraryGetKernel, (CUkernel * kernel, CUlibrary library, const char* name))            \
  KMUX_CALL(kernel_function, cuKernelGetFunction, (CUfunction * function, CUkernel kernel))                          \
  KMUX_CALL(kernel_attribute_get, cuKernelGetAttribute,                                                              \
            (int* value, CUfunction_attribute attribute, CUkernel kernel, CUdevice device))                          \
  KMUX_CALL(kernel_attribute_set, cuKernelSetAttribute,                                                              \
            (CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice device))                           \
  KMUX_CALL(launch, cuLaunchKernelEx, (const CUlaunchConfig* config, CUfunction kernel, void** args, void** extra))  \
  KMUX_CALL(encode_tiled, cuTensorMapEncodeTiled,                                                                    \
            (void* map, int dtype, uint32_t rank, void* base, const uint64_t* dims, const uint64_t* strides,         \
             const uint32_t* box, const uint32_t* element_strides, int interleave, int swizzle, int l2_promotion,    \
             int oob_fill))                                                                                          \
  KMUX_CALL(encode_im2col, cuTensorMapEncodeIm2col,                                                                  \
            (void* map, int dtype, uint32_t rank, void* base, const uint64_t* dims, const uint64_t* strides,         \
             const int* lower_corner, const int* upper_corner, uint32_t channels, uint32_t pixels,                   \
             const uint32_t* element_strides, int interleave, int swizzle, int l2_promotion, int oob_fill))          \
  KMUX_CALL(replace_address, cuTensorMapReplaceAddress, (void* map, void* base))                                     \
  KMUX_CALL(allocate, cuMemAllocFromPoolAsync,                                                                       \
            (CUdeviceptr * address, size_t bytes, CUmemoryPool pool, CUstream stream))                               \
  KMUX_CALL(free, cuMemFreeAsync, (CUdeviceptr address, CUstream stream))                                            \
  KMUX_CALL(device_pool, cuDeviceGetDefaultMemPool, (CUmemoryPool * pool, CUdevice device))                          \
  KMUX_CALL(pool_attribute_set, cuMemPoolSetAttribute,                                                               \
            (CUmemoryPool pool, CUmemPool_attribute attribute, void* value))                                         \
  KMUX_CALL(memory_info, cuMemGetInfo_v2, (size_t* free, size_t* total))                                             \
  KMUX_CALL(copy, cuMemcpyAsync, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream))                  \
  KMUX_CALL(copy_to_device, cuMemcpyHtoDAsync_v2, (CUdeviceptr to, const void* from, size_t bytes, CUstream stream)) \
  KMUX_CALL(copy_to_host, cuMemcpyDtoHAsync_v2, (void* to, CUdeviceptr from, size_t bytes, CUstream stream))         \
  KMUX_CALL(memset8, cuMemsetD8Async, (CUdeviceptr address, unsigned char value, size_t bytes, CUstream stream))     \
  KMUX_CALL(stream_create, cuStreamCreate, (CUstream * stream, unsigned flags))                                      \
  KMUX_CALL(stream_destroy, cuStreamDestroy_v2, (CUstream stream))                                                   \
  KMUX_CALL(stream_synchronize, cuStreamSynchronize, (CUstream stream))                                              \
  KMUX_CALL(stream_wait_event, cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned flags))                  \
  KMUX_CALL(stream_capturing, cuStreamIsCapturing, (CUstream stream, CUstreamCaptureStatus * status))                \
  KMUX_CALL(stream_capture_info, cuStreamGetCaptureInfo_v2,                                                          \
            (CUstream stream, CUstreamCaptureStatus * status, uint64_t* id, CUgraph* graph,                          \
             const CUgraphNode** dependencies, size_t* dependency_count))                                            \
  KMUX_CALL(exchange_capture_mode, cuThreadExchangeStreamCaptureMode, (CUstreamCaptureMode * mode))                  \
  KMUX_CALL(event_create, cuEventCreate, (CUevent * event, unsigned flags))                                          \
  KMUX_CALL(event_destroy, cuEventDestroy_v2, (CUevent event))                                                       \
  KMUX_CALL(event_record, cuEventRecord, (CUevent event, CUstream stream))                                           \
  KMUX_CALL(event_synchronize, cuEventSynchronize, (CUevent event))                                                  \
  KMUX_CALL(event_elapsed, cuEventElapsedTime, (float* milliseconds, CUevent begin, CUevent end))                    \
  KMUX_CALL(graph_create, cuGraphCreate, (CUgraph * graph, unsigned flags))                                          \
  KMUX_CALL(graph_destroy, cuGraphDestroy, (CUgraph graph))                                                          \
  KMUX_CALL(graph_add_kernel, cuGraphAddKernelNode_v2,                                                               \
            (CUgraphNode * node, CUgraph graph, const CUgraphNode* after, size_t after_count,                        \
             const CUDA_KERNEL_NODE_PARAMS* params))                                                                 \
  KMUX_CALL(graph_add_memset, cuGraphAddMemsetNode,                                                                  \
            (CUgraphNode * node, CUgraph graph, const CUgraphNode* after, size_t after_count,                        \
             const CUDA_MEMSET_NODE_PARAMS* params, CUcontext context))                                              \
  KMUX_CALL(graph_instantiate, cuGraphInstantiateWithFlags,                                                          \
            (CUgraphExec * executable, CUgraph graph, unsigned long long flags))                                     \
  KMUX_CALL(graph_set_attribute, cuGraphKernelNodeSetAttribute,                                                      \
            (CUgraphNode node, CUlaunchAttributeID attribute, const CUlaunchAttributeValue* value))                  \
  KMUX_CALL(executable_set_kernel, cuGraphExecKernelNodeSetParams_v2,                                                \
            (CUgraphExec executable, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS* params))                       \
  KMUX_CALL(executable_set_memset, cuGraphExecMemsetNodeSetParams,                                                   \
            (CUgraphExec executable, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS* params, CUcontext context))    \
  KMUX_CALL(executable_enable, cuGraphNodeSetEnabled, (CUgraphExec executable, CUgraphNode node, unsigned enabled))  \
  KMUX_CALL(executable_destroy, cuGraphExecDestroy, (CUgraphExec executable))                                        \
  KMUX_CALL(graph_launch, cuGraphLaunch, (CUgraphExec executable, CUstream stream))

// Calls that a driver from 12.0 on may lack: null in the table then. The version that brought each stands beside it.
#define KMUX_OPTIONAL_DRIVER_CALLS(KMUX_CALL)       \
  KMUX_CALL(kernel_parameter, cuKernelGetParamInfo, \
            (CUkernel kernel, size_t index, size_t* offset, size_t* size)) /* 12.4 */
