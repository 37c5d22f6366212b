// Loads and stores with hints, of any type.
#pragma once

#define KMUX_LOAD(name)                  \
  template <class T>                     \
  KMUX_DEVICE T name(const T* address) { \
    return *address;                     \
  }
KMUX_LOAD(__ldg)
KMUX_LOAD(__ldca)
KMUX_LOAD(__ldcg)
KMUX_LOAD(__ldcs)
KMUX_LOAD(__ldlu)
KMUX_LOAD(__ldcv)
#undef KMUX_LOAD
#define KMUX_STORE(name)                                   \
  template <class T>                                       \
  KMUX_DEVICE void name(T* address, kmux_value<T> value) { \
    *address = value;                                      \
  }
KMUX_STORE(__stwb)
KMUX_STORE(__stcg)
KMUX_STORE(__stcs)
KMUX_STORE(__stwt)
#undef KMUX_STORE
