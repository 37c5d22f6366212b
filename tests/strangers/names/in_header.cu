//! kmux
//! kernel in_header(inout y: f32[n: i32])
//!   example n = 100
//!   headers "kernels.cuh"
//!   launch lib::from_header<<<ceildiv(n, 64), 64>>>(y, n)
// A kernel that a header of the program defines.
// means: lib::from_header(float*, int)
#include "kernels.cuh"
