// What reads or drives a GPU's hardware, and has no meaning on a processor.
#pragma once

typedef long clock_t;
KMUX_REFUSED("the clock of a GPU") clock_t clock();
KMUX_REFUSED("the clock of a GPU") long long clock64();
KMUX_REFUSED("the clock of a GPU") unsigned long long __globaltimer();
KMUX_REFUSED("performance counters") void __prof_trigger(int);
KMUX_REFUSED("address spaces") size_t __cvta_generic_to_shared(const void*);
KMUX_REFUSED("address spaces") size_t __cvta_generic_to_global(const void*);
KMUX_REFUSED("address spaces") void* __cvta_shared_to_generic(size_t);
KMUX_REFUSED("address spaces") unsigned __isShared(const void*);
KMUX_REFUSED("address spaces") unsigned __isGlobal(const void*);
KMUX_REFUSED("address spaces") unsigned __isLocal(const void*);
KMUX_REFUSED("address spaces") unsigned __isConstant(const void*);
KMUX_REFUSED("registers of a warp") void __setmaxnreg_inc(unsigned);
KMUX_REFUSED("registers of a warp") void __setmaxnreg_dec(unsigned);
KMUX_REFUSED("clusters of blocks") void __cluster_barrier_arrive();
KMUX_REFUSED("clusters of blocks") void __cluster_barrier_wait();
KMUX_REFUSED("clusters of blocks") dim3 __clusterDim();
KMUX_REFUSED("clusters of blocks") dim3 __clusterIdx();
// A launch begins when those before it have ended.
KMUX_DEVICE void cudaGridDependencySynchronize() {}
KMUX_DEVICE void cudaTriggerProgrammaticLaunchCompletion() {}

typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
struct CUtensorMap;
#define KMUX_FETCH(name)         \
  template <class T, class... A> \
  KMUX_REFUSED("textures")       \
  T name(cudaTextureObject_t, A...);
KMUX_FETCH(tex1Dfetch)
KMUX_FETCH(tex1D)
KMUX_FETCH(tex1DLod)
KMUX_FETCH(tex1DGrad)
KMUX_FETCH(tex1DLayered)
KMUX_FETCH(tex2D)
KMUX_FETCH(tex2DLod)
KMUX_FETCH(tex2DGrad)
KMUX_FETCH(tex2DLayered)
KMUX_FETCH(tex2Dgather)
KMUX_FETCH(tex3D)
KMUX_FETCH(tex3DLod)
KMUX_FETCH(tex3DGrad)
KMUX_FETCH(texCubemap)
KMUX_FETCH(texCubemapLayered)
#undef KMUX_FETCH
#define KMUX_SURFACE(name)                 \
  template <class T, class... A>           \
  KMUX_REFUSED("surfaces")                 \
  T name##read(cudaSurfaceObject_t, A...); \
  template <class T, class... A>           \
  KMUX_REFUSED("surfaces")                 \
  void name##write(T, cudaSurfaceObject_t, A...);
KMUX_SURFACE(surf1D)
KMUX_SURFACE(surf2D)
KMUX_SURFACE(surf3D)
KMUX_SURFACE(surf2DLayered)
#undef KMUX_SURFACE
