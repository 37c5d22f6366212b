# SPDX-License-Identifier: Apache-2.0
"""The packages of the extras nvrtc and nvrtc12: each is found in its virtual environment and compiles sources that include CUDA.

KMUX_TEST_NVRTC_VENVS has the environments, as `python3 -m venv X && X/bin/pip install "cuda-toolkit[nvrtc,cudart,cccl,crt]==13.3.*"`
makes them.
"""

import os
import pathlib
import subprocess
import sys
import unittest

ENVIRONMENTS = os.environ.get("KMUX_TEST_NVRTC_VENVS", "").split()
DRIVER = os.environ.get("KMUX_TEST_FAKE_CUDA", "")
ROOT = pathlib.Path(__file__).resolve().parents[3]
SCRIPT = '''
import re
import kmux

source = """
#include <cooperative_groups.h>
#include <cub/block/block_reduce.cuh>
#include <cuda/std/array>
#include <cuda_fp16.h>
#include <mma.h>
__global__ void sum(float* x, int n) {
  using Reduce = cub::BlockReduce<float, 32>;
  __shared__ typename Reduce::TempStorage memory;
  const float all = Reduce(memory).Sum(x[threadIdx.x]);
  cooperative_groups::this_thread_block().sync();
  if (threadIdx.x == 0) x[0] = all + __half2float(__float2half(1)) + cuda::std::array<int, 2>{1, 2}[1];
}
"""
sum = kmux.kernel(source, "sum(x: inout f32[n])", grid=1, block=32, target="cuda:sm_90", execution_backend="nvrtc").compile()
print(*{path for path in re.findall(r"/[^ \\n\\0]*/(?=nvidia/)", sum.files["artifact/deps"].decode(errors="replace"))})
'''


@unittest.skipUnless(ENVIRONMENTS, "needs KMUX_TEST_NVRTC_VENVS (virtual environments with the packages of NVRTC)")
class NvrtcPackages(unittest.TestCase):
    def test_compile_with_their_own_headers(self):
        for folder in ENVIRONMENTS:
            with self.subTest(folder):
                command = ["bash", ROOT / "tools/without_toolkit.sh", "env", f"VIRTUAL_ENV={folder}", f"LD_LIBRARY_PATH={DRIVER}"]
                done = subprocess.run([*command, sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=300)
                if done.returncode == 77:
                    self.skipTest(done.stderr)
                self.assertEqual(done.returncode, 0, done.stderr)
                packages, *others = done.stdout.split()
                self.assertTrue(packages.startswith(f"{folder}/") and not others, done.stdout)


if __name__ == "__main__":
    unittest.main()
