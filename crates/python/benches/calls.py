"""Measures what a call through Python costs more than a call through Rust: the same shaders, alternately, in one run.

Prints the ratios of the shortest times, and of their sums; docs/performance.md gives the limit, 1.05. `bench.sh` builds the
module with the feature `bench` and runs this.
"""

import time

import crestline
from crestline import _native

ROUNDS = 300


def shader(operations: int) -> str:
    """A shader of about as many operations; the same as in crates/capi/benches/calls.rs."""
    text = (
        "@group(0) @binding(0) var<storage, read_write> data: array<u32>;\n"
        "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"
        "var x = data[id.x]; var y = data[id.x + 1u];\n"
    )
    for at in range(operations // 4):
        text += f"x = (x + y) ^ (y >> {at % 31 + 1}u); y = y * 3u + x;\n"
    return text + "data[id.x] = x ^ y;\n}\n"


def through_python(text: str) -> float:
    start = time.perf_counter()
    crestline.compile(text, "skl")
    return time.perf_counter() - start


def main() -> None:
    print("| operations | Rust, ms | Python, ms | ratio |\n| ---: | ---: | ---: | ---: |")
    sums = [0.0, 0.0]
    for operations in (4, 40, 400):
        text = shader(operations)
        rust = python = float("inf")
        for _ in range(ROUNDS):
            rust = min(rust, _native.time_compile(text.encode(), "skl", "wgsl"))
            python = min(python, through_python(text))
        sums = [sums[0] + rust, sums[1] + python]
        print(f"| {operations} | {rust * 1e3:.3f} | {python * 1e3:.3f} | {python / rust:.3f} |")
    print(f"| sum | {sums[0] * 1e3:.3f} | {sums[1] * 1e3:.3f} | {sums[1] / sums[0]:.3f} |")


if __name__ == "__main__":
    main()
