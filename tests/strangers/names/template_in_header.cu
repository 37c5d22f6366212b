//! kmux
//! kernel template_in_header(inout y: f32[n: i32])
//!   example n = 100
//!   headers "kernels.cuh"
//!   launch lib::shape<float><<<ceildiv(n, 64), 64>>>(y, n)
// A template of a header: the source has nothing of its name.
// means: void lib::shape<float, 32>(float*, int)
#include "kernels.cuh"
