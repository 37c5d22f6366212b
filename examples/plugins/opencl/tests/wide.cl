// Wants an extension: a variant says so, and is not taken where the device lacks it.
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
__kernel void wide(__global float* y) { y[get_global_id(0)] = sub_group_reduce_add(1.0f); }
//! kmux
//! kernel wide(out y: f32[64])
//!   dialect opencl
//!   requires features "cl_khr_subgroups"
//!   standard "cl30"
//!   launch wide<<<1, 64>>>(y)
