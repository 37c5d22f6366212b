// Functions that read or control GPU hardware, and have no meaning on a processor; and those that are not written yet.
#pragma once

typedef long clock_t;
#ifndef KMUX_CLOCKS
KMUX_REFUSED("the clock of a GPU") clock_t clock();
KMUX_REFUSED("the clock of a GPU") long long clock64();
#endif
KMUX_REFUSED("the clock of a GPU") unsigned long long __globaltimer();
KMUX_REFUSED("performance counters") void __prof_trigger(int);
KMUX_REFUSED("address spaces") unsigned __isGlobal(const void*);
KMUX_REFUSED("address spaces") unsigned __isLocal(const void*);
KMUX_REFUSED("address spaces") unsigned __isConstant(const void*);
KMUX_REFUSED("inverse error functions") float erfcinvf(float);
KMUX_REFUSED("inverse error functions") double erfcinv(double);
KMUX_REFUSED("registers of a warp") void __setmaxnreg_inc(unsigned);
KMUX_REFUSED("registers of a warp") void __setmaxnreg_dec(unsigned);
KMUX_REFUSED("clusters of blocks") bool __clusterDimIsSpecified();
// A launch begins after all earlier ones have ended.
KMUX_DEVICE void cudaGridDependencySynchronize() {}
KMUX_DEVICE void cudaTriggerProgrammaticLaunchCompletion() {}

typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
enum cudaTextureReadMode { cudaReadModeElementType, cudaReadModeNormalizedFloat };
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero, cudaBoundaryModeClamp, cudaBoundaryModeTrap };
enum {
  cudaTextureType1D = 1,
  cudaTextureType2D = 2,
  cudaTextureType3D = 3,
  cudaTextureTypeCubemap = 12,
  cudaTextureType1DLayered = 241,
  cudaTextureType2DLayered = 242,
  cudaTextureTypeCubemapLayered = 252,
  cudaSurfaceType1D = 1,
  cudaSurfaceType2D = 2,
  cudaSurfaceType3D = 3,
  cudaSurfaceTypeCubemap = 12,
  cudaSurfaceType1DLayered = 241,
  cudaSurfaceType2DLayered = 242,
  cudaSurfaceTypeCubemapLayered = 252
};
// Texture references, the variables that predate texture objects.
template <class T, int type = cudaTextureType1D, cudaTextureReadMode mode = cudaReadModeElementType>
struct texture {};
template <class T, int type = cudaSurfaceType1D>
struct surface {};
// Fetches by an object, which return a value or store it through a pointer, and by a reference.
#define KMUX_FETCH(name)                                          \
  template <class T, class... A>                                  \
  KMUX_REFUSED("textures")                                        \
  T name(cudaTextureObject_t, A...);                              \
  template <class T, class... A>                                  \
  KMUX_REFUSED("textures")                                        \
  void name(T*, cudaTextureObject_t, A...);                       \
  template <class T, int type, cudaTextureReadMode m, class... A> \
  KMUX_REFUSED("textures")                                        \
  T name(texture<T, type, m>, A...);
KMUX_FETCH(tex1Dfetch)
KMUX_FETCH(tex1D)
KMUX_FETCH(tex1DLod)
KMUX_FETCH(tex1DGrad)
KMUX_FETCH(tex1DLayered)
KMUX_FETCH(tex1DLayeredLod)
KMUX_FETCH(tex1DLayeredGrad)
KMUX_FETCH(tex2D)
KMUX_FETCH(tex2DLod)
KMUX_FETCH(tex2DGrad)
KMUX_FETCH(tex2DLayered)
KMUX_FETCH(tex2DLayeredLod)
KMUX_FETCH(tex2DLayeredGrad)
KMUX_FETCH(tex2Dgather)
KMUX_FETCH(tex3D)
KMUX_FETCH(tex3DLod)
KMUX_FETCH(tex3DGrad)
KMUX_FETCH(texCubemap)
KMUX_FETCH(texCubemapLod)
KMUX_FETCH(texCubemapGrad)
KMUX_FETCH(texCubemapLayered)
KMUX_FETCH(texCubemapLayeredLod)
KMUX_FETCH(texCubemapLayeredGrad)
#undef KMUX_FETCH
#define KMUX_SURFACE(name)                \
  template <class T, class S, class... A> \
  KMUX_REFUSED("surfaces")                \
  T name##read(S, A...);                  \
  template <class T, class S, class... A> \
  KMUX_REFUSED("surfaces")                \
  void name##read(T*, S, A...);           \
  template <class T, class S, class... A> \
  KMUX_REFUSED("surfaces")                \
  void name##write(T, S, A...);
KMUX_SURFACE(surf1D)
KMUX_SURFACE(surf2D)
KMUX_SURFACE(surf3D)
KMUX_SURFACE(surf1DLayered)
KMUX_SURFACE(surf2DLayered)
KMUX_SURFACE(surfCubemap)
KMUX_SURFACE(surfCubemapLayered)
#undef KMUX_SURFACE
