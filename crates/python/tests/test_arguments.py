"""Random arguments: a call returns or raises an exception of Python, and never ends the process.

The calls run in a process of their own, because a crash would end the tests too. The seed is fixed.
"""

import subprocess
import sys

import pytest

CALLS = r"""
import faulthandler
import random
import sys

import crestline
from crestline import _native

faulthandler.enable()
rng = random.Random(int(sys.argv[1]))
DOUBLE = '''@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) { data[id.x] *= 2u; }'''
PROGRAM = crestline.compile(DOUBLE, "skl")
LEAVES = [
    None, True, 0, 1, 2, 8, -1, 2**31, 2**32, 2**64, 1.5, float("nan"), float("inf"), "", "skl", "ivb", "main", "wgsl",
    "compute", "8", "mesa", "iga", "rgba32f", "\ud800", "a\0b", DOUBLE, PROGRAM.to_json(), b"", b"\0" * 16, b"\xff" * 40,
    PROGRAM.code, bytearray(b"x"), PROGRAM, object(), object, len,
]


def value(depth=0):
    kind = rng.randrange(8 if depth < 3 else 4)
    if kind < 4:
        return rng.choice(LEAVES)
    values = [value(depth + 1) for _ in range(rng.randrange(4))]
    if kind < 6:
        return values
    if kind == 6:
        return tuple(values)
    try:
        return dict(zip(values, reversed(values)))
    except TypeError:
        return {}


# What each parameter may be, so that random calls also get behind the first check. `budget` is always small: it limits the time.
FITTING = {
    "source": [DOUBLE.encode(), b"fn main(", b"\x03\x02\x23\x07"], "target": ["skl", "bdw", "tgl"],
    "language": ["wgsl", "spirv"], "name": ["a"], "entry": [None, "main"], "stage": [None, "compute", "vertex"],
    "simd": ["auto", "8", "16", "4x2"], "specialization": [[], [(0, 1)]], "robust_access": [True],
    "code": [PROGRAM.code], "syntax": ["mesa", "iga"], "simd_width": [None, 8, 7],
    "program": [PROGRAM], "grid": [[1, 1, 1], [0, 0, 0], [3, 1]],
    "buffers": [[((0, 0), b"\0" * 256)], [((0, 0), b"")], []], "images": [[], [((0, 0), 2, "rgba32f", [1, 1], b"\0" * 16)]],
    "samplers": [[]], "push_constants": [b"", b"abc"], "text": [PROGRAM.to_json(), "#!amber\n", "[require]\n"],
    "shaders": [[(DOUBLE.encode(), "wgsl", "a", None, "compute")]], "pictures": [[], ["a"]],
}
FUNCTIONS = {
    "compile": ["source", "target", "language", "name", "entry", "stage", "simd", "specialization", "robust_access"],
    "link": ["shaders", "target", "simd"],
    "program_from_json": ["text"],
    "disassemble": ["code", "target", "syntax"],
    "validate": ["code", "target"],
    "analyze_code": ["code", "target", "simd_width"],
    "dispatch": ["program", "grid", "buffers", "images", "samplers", "push_constants", "budget"],
    "amber": ["text", "target", "pictures"],
}
assert set(FUNCTIONS) == set(_native.__all__) - {"CrestlineError", "Program", "__version__", "targets"}
ends = {"returned": 0, "raised": 0}
for _ in range(1500):
    name = rng.choice(list(FUNCTIONS))
    wild = rng.randrange(3)
    arguments = []
    for parameter in FUNCTIONS[name]:
        if parameter == "budget":
            arguments.append(rng.choice([0, 1, 1000]))
        elif rng.randrange(4) < wild:
            arguments.append(value())
        else:
            arguments.append(rng.choice(FITTING[parameter]))
    if rng.randrange(20) == 0:
        arguments = arguments[: rng.randrange(len(arguments) + 1)]
    try:
        getattr(_native, name)(*arguments)
        ends["returned"] += 1
    except Exception as error:
        # An exception of Rust's panics is not an Exception: it would end the process.
        if isinstance(error, crestline.CrestlineError):
            assert crestline.place(error).code != "E0999", (name, arguments, error)
        ends["raised"] += 1
assert min(ends.values()) > 100, ends
for _ in range(500):
    public = [crestline.compile, crestline.run, crestline.link, crestline.disassemble, crestline.validate]
    try:
        rng.choice(public)(*[value() for _ in range(rng.randrange(4))])
    except Exception:
        pass
print("done")
"""


@pytest.mark.parametrize("seed", range(3))
def test_no_argument_ends_the_process(seed):
    done = subprocess.run([sys.executable, "-c", CALLS, str(seed)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr[-2000:]
