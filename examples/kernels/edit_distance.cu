// Levenshtein's distance of pairs of words of up to 64 letters, a block a pair, along diagonals: what a diagonal
// needs is in the two before it, and between them is a barrier.
constexpr int kLength = 64;

__global__ void edit_distance(const unsigned char* a, const unsigned char* b, const int* lengths, int* distances) {
  __shared__ int table[3][kLength + 1];  // three diagonals, by row
  const unsigned char* word = a + blockIdx.x * kLength;
  const unsigned char* other = b + blockIdx.x * kLength;
  const int rows = lengths[2 * blockIdx.x], columns = lengths[2 * blockIdx.x + 1];
  for (int diagonal = 0; diagonal <= rows + columns; ++diagonal) {
    int* now = table[diagonal % 3];
    const int* last = table[(diagonal + 2) % 3];
    const int* before = table[(diagonal + 1) % 3];
    for (int row = threadIdx.x; row <= rows; row += blockDim.x) {
      const int column = diagonal - row;
      if (column < 0 || column > columns) continue;
      if (row == 0 || column == 0) {
        now[row] = diagonal;
      } else {
        const int changed = before[row - 1] + (word[row - 1] != other[column - 1]);
        now[row] = min(changed, min(last[row - 1], last[row]) + 1);
      }
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) distances[blockIdx.x] = table[(rows + columns) % 3][rows];
}
