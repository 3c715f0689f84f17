"""Tests of the package, run by `crates/python/test.sh`."""

import doctest
import json
import pathlib
import subprocess
import sys

import numpy
import pytest

import crestline
import crestline.dask

EXAMPLES = pathlib.Path(__file__).parents[3] / "examples"
DOUBLE = """@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) { data[id.x] *= 2u; }"""
PAIR = """struct Out { @builtin(position) at: vec4<f32>, @location(0) uv: vec2<f32>, @location(1) unread: vec4<f32> }
@vertex fn v(@location(0) a: vec4<f32>) -> Out { return Out(a, a.zw, a * a); }
@fragment fn f(@location(0) uv: vec2<f32>) -> @location(0) vec4<f32> { return uv.xyxy; }"""


def test_the_docstrings_hold():
    assert doctest.testmod(crestline).failed == 0


@pytest.mark.parametrize("target", ["ivb", "hsw", "bdw", "skl"])
def test_a_program_runs_on_arrays(target):
    program = crestline.compile(DOUBLE, target)
    data = numpy.arange(128, dtype=numpy.uint32).reshape(2, 64)
    left = crestline.run(program, (2, 1, 1), buffers={(0, 0): data})
    assert (left.buffers[0, 0] == 2 * data).all() and left.buffers[0, 0].shape == (2, 64)
    assert left.instructions > 0 and left.threads > 0 and left.diagnostics == []


def test_images_are_arrays():
    text = """@group(0) @binding(0) var from_: texture_2d<f32>;
    @group(0) @binding(1) var to: texture_storage_2d<rgba32float, write>;
    @compute @workgroup_size(8, 4) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
        textureStore(to, id.xy, textureLoad(from_, vec2<i32>(7 - i32(id.x), i32(id.y)), 0)); }"""
    picture = numpy.arange(4 * 8 * 4, dtype=numpy.float32).reshape(4, 8, 4)
    images = {(0, 0): crestline.Image(picture, "rgba32f"), (0, 1): crestline.Image(0 * picture, "rgba32f")}
    left = crestline.run(crestline.compile(text, "skl"), (1, 1, 1), images=images)
    assert (left.images[0, 1] == picture[:, ::-1]).all()


def test_errors_have_codes_and_places():
    with pytest.raises(crestline.CrestlineError) as caught:
        crestline.compile("fn main() {}\nconst a = " + "(" * 5000, "skl")
    place = crestline.place(caught.value)
    assert (place.code, place.line) == ("E0705", 2)
    for source, target in [(DOUBLE, "nvidia"), (DOUBLE, "")]:
        with pytest.raises(crestline.CrestlineError) as caught:
            crestline.compile(source, target)
        assert crestline.place(caught.value).code == "E1401"
    program = crestline.compile(DOUBLE, "skl")
    with pytest.raises(crestline.CrestlineError):
        crestline.run(program, (1, 1, 1))
    with pytest.raises(TypeError):
        crestline.compile(None, "skl")


def test_machine_code_is_read():
    program = crestline.compile(DOUBLE, "skl")
    assert "send" in crestline.disassemble(program)
    assert crestline.disassemble(program) == crestline.disassemble(program.code, "skl")
    assert [found for found in crestline.validate(program) if found.severity == "error"] == []
    assert {found.severity for found in crestline.validate(b"\xff" * 16, "skl")} == {"undecoded"}
    assert crestline.analyze(program)["programs"][0]["code"]["instructions"] > 3
    assert crestline.analyze(program.code, "skl", simd_width=16)["programs"]
    assert crestline.metadata(program)["platform"] == "skl"
    again = crestline.program_from_json(program.to_json())
    assert again.code == program.code


def test_a_pipeline_is_linked():
    shaders = [crestline.Shader(PAIR, "vertex"), crestline.Shader(PAIR, "fragment")]
    vertex, fragment = crestline.link(shaders, "skl")
    assert (vertex.stage, fragment.stage) == ("vertex", "fragment")
    outputs = crestline.metadata(vertex)["stage"]["outputs"]
    assert {"kind": "location", "location": 1} not in outputs


def test_a_script_draws():
    script = """#!amber
SHADER vertex v PASSTHROUGH
SHADER fragment f GLSL
#version 450
layout(location = 0) out vec4 colour;
void main() { colour = vec4(1.0, 0.0, 0.5, 1.0); }
END
BUFFER picture FORMAT R8G8B8A8_UNORM
PIPELINE graphics p
  ATTACH v
  ATTACH f
  FRAMEBUFFER_SIZE 8 8
  BIND BUFFER picture AS color LOCATION 0
END
CLEAR p
RUN p DRAW_RECT POS 0 0 SIZE 8 8
"""
    (picture,) = crestline.draw(script, "skl", ["picture"])
    assert picture.shape == (8, 8, 4) and picture[3, 3].tolist() == [255, 0, 128, 255]


def test_random_arguments_crash_nothing():
    rng = numpy.random.default_rng(1)
    program = crestline.compile(DOUBLE, "skl")
    values = [None, "", "skl", "x" * 99, b"", DOUBLE, 0, -1, 2**70, [], {}, (1, 1, 1), object(), program]
    for _ in range(300):
        for call in (crestline.compile, crestline.disassemble, crestline.validate, crestline.analyze, crestline.link,
                     crestline.run, crestline.program_from_json, crestline.draw, crestline._native.dispatch):
            arguments = [values[at] for at in rng.integers(0, len(values), rng.integers(0, 4))]
            try:
                call(*arguments)
            except Exception:
                pass


def test_a_cluster_gives_the_same_bytes():
    distributed = pytest.importorskip("distributed")
    corpus = {f"{n}.wgsl": DOUBLE.replace("2u", f"{n}u") for n in range(12)} | {"bad.wgsl": "fn broken("}
    alone = {name: crestline.dask.compile_one(text, "skl", {}) for name, text in corpus.items()}
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            together = crestline.dask.compile_all(client, corpus, "skl")
    assert together == alone and list(together) == list(corpus)
    assert together["bad.wgsl"].code == "E0703"
    assert together["3.wgsl"].program().code == crestline.compile(corpus["3.wgsl"], "skl").code


def test_the_stubs_are_those_of_the_module():
    command = [sys.executable, "-m", "mypy.stubtest", "crestline._native"]
    found = subprocess.run(command, capture_output=True, text=True)
    assert found.returncode == 0, found.stdout + found.stderr


def test_the_notebooks_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    notebooks = sorted((EXAMPLES / "python").glob("*.ipynb"))
    assert notebooks
    for path in notebooks:
        names = {}
        for cell in json.loads(path.read_text())["cells"]:
            if cell["cell_type"] == "code":
                exec("".join(cell["source"]), names)
