#pragma once

#include "simt/units/matrix_places.h"
#include "simt/units/matrix_product.h"

namespace kmux::simt {

// T is double, float or std::uint32_t, as for unpack(). Matrices have rows one after another.

/// Reads A of a lane from its registers.
template <class T>
void read_a(const MatrixProduct& product, unsigned lane, const void* registers, T* a);
/// Reads B of a lane from its registers.
template <class T>
void read_b(const MatrixProduct& product, unsigned lane, const void* registers, T* b);
/// Reads C of a lane from its registers.
template <class T>
void read_c(const MatrixProduct& product, unsigned lane, const void* registers, T* c);
/// Writes D of a lane to its registers.
template <class T>
void write_d(const MatrixProduct& product, unsigned lane, const T* d, void* registers);

}  // namespace kmux::simt
