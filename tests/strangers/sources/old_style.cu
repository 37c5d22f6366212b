//! kmux
//! kernel transpose(out y: f32[64, 64], out ok: i32[64, 64])
//!   launch transpose<<<[4, 4], [16, 16]>>>(y, ok)
/* In the style of the first samples: C headers, globals, a reference on the host. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <time.h>
#include <sys/time.h>
#include <cuda.h>
#include "cutil.h"

#define N 64
#define TILE 16
#define min_of(a, b) ((a) < (b) ? (a) : (b))

typedef struct {
  int rows;
  int columns;
  float* elements;
} Matrix;

float *h_in, *h_out;
float* d_in = NULL;
static double seconds(void);

__device__ int counter;

__global__ void transpose(float* y, int* ok) {
  __shared__ float tile[TILE][TILE + 1];
  int x = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = row * N + x;
  __syncthreads();
  int to_x = blockIdx.y * TILE + threadIdx.x, to_row = blockIdx.x * TILE + threadIdx.y;
  y[to_row * N + to_x] = tile[threadIdx.x][threadIdx.y];
  atomicAdd(&counter, 1);
  ok[to_row * N + to_x] = y[to_row * N + to_x] == to_x * N + to_row;
}

void reference(Matrix in, Matrix out) {
  int i, j;
  for (i = 0; i < in.rows; i++)
    for (j = 0; j < min_of(in.columns, N); j++) out.elements[j * in.rows + i] = in.elements[i * in.columns + j];
}

static double seconds(void) {
  struct timeval now;
  gettimeofday(&now, NULL);
  return now.tv_sec + now.tv_usec * 1e-6;
}

int main(void) {
  dim3 grid(N / TILE, N / TILE), block(TILE, TILE);
  double begin = seconds();
  h_in = (float*)malloc(N * N * sizeof(float));
  h_out = (float*)calloc(N * N, sizeof(float));
  cudaMalloc((void**)&d_in, N * N * sizeof(float));
  transpose<<<grid, block>>>(d_in, NULL);
  cudaThreadSynchronize();
  printf("%f s\n", seconds() - begin);
  return 0;
}
