"""Crestline: compiles, analyses and runs shaders for Intel GPUs (Ivy Bridge to Skylake), without a GPU.

>>> import crestline, numpy
>>> text = '''@group(0) @binding(0) var<storage, read_write> data: array<u32>;
... @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) { data[id.x] *= 2u; }'''
>>> program = crestline.compile(text, "skl")
>>> result = crestline.run(program, (1, 1, 1), buffers={(0, 0): numpy.arange(64, dtype=numpy.uint32)})
>>> int(result.buffers[0, 0][63])
126
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy

from . import _native
from ._native import CrestlineError, Program, __version__

__all__ = [
    "CrestlineError", "Finding", "Image", "Place", "Program", "Run", "Shader", "analyze", "compile", "disassemble", "draw",
    "link", "metadata", "place", "program_from_json", "run", "targets", "validate", "__version__",
]


@dataclass(frozen=True)
class Place:
    """The code of an error, and the place in the input; what is not known is None."""

    code: str
    line: int | None = None
    """Line of a source text, from 1."""
    column: int | None = None
    """Column in characters, from 1."""
    word: int | None = None
    """Word of a SPIR-V module."""
    offset: int | None = None
    """Byte of machine code."""
    shader: int | None = None
    """Number of the shader of a pipeline."""


def place(error: CrestlineError) -> Place:
    """Returns the stable code of an error (docs/errors.md), and its place."""
    return Place(*error.args[1:])


@dataclass(frozen=True)
class Shader:
    """A shader of a pipeline."""

    source: str | bytes
    """A text, or a SPIR-V module as bytes."""
    stage: str | None = None
    """vertex, tess_control, tess_eval, geometry, fragment or compute."""
    entry: str | None = None
    """Name of the entry point; None is the only one."""
    language: str | None = None
    """spirv, wgsl, glsl or hlsl; None is spirv for bytes and wgsl for text."""
    name: str = "shader"
    """Name of the file, for messages."""


@dataclass(frozen=True)
class Finding:
    """An instruction that breaks a rule or does not decode."""

    severity: str
    """warning, error or undecoded."""
    offset: int
    """Byte offset of the instruction."""
    rule: str
    """Id of the rule (docs/validation-rules.md); empty if the instruction does not decode."""
    sentence: str
    """The rule, or why the instruction does not decode."""


@dataclass(frozen=True)
class Image:
    """An image: texels of a format, in an array whose first axes are depth (3D), height (2D, 3D) and width."""

    data: numpy.ndarray
    """The texels. Further axes, if any, are components."""
    format: str
    """The name of the format in GLSL, such as rgba8 or r32f."""
    dimensions: int = 2
    """1, 2 or 3."""


@dataclass(frozen=True)
class Run:
    """What a run has left."""

    buffers: dict[tuple[int, int], numpy.ndarray]
    """Contents of the buffers, with the types and shapes of the arguments."""
    images: dict[tuple[int, int], numpy.ndarray]
    """Texels of the images, with the types and shapes of the arguments."""
    instructions: int
    """Instructions that all threads executed."""
    threads: int
    """Hardware threads."""
    messages: int
    """Messages sent."""
    diagnostics: list[str] = field(default_factory=list)
    """Undefined or suspicious behaviour of the program."""


def _source(source: str | bytes, language: str | None) -> tuple[bytes, str]:
    if isinstance(source, str):
        return source.encode(), language or "wgsl"
    return bytes(source), language or "spirv"


def compile(
    source: str | bytes,
    target: str,
    *,
    language: str | None = None,
    stage: str | None = None,
    entry: str | None = None,
    simd: str | int = "auto",
    specialization: Mapping[int, int] | None = None,
    robust_access: bool = False,
    name: str = "shader",
) -> Program:
    """Compiles one entry point of a shader for a target such as "skl".

    ``simd`` is "auto", 8, 16, 32 or "4x2"; ``specialization`` maps ids of constants to their bits. Raises
    CrestlineError.
    """
    data, language = _source(source, language)
    constants = list((specialization or {}).items())
    return _native.compile(data, target, language, name, entry, stage, str(simd), constants, robust_access)


def link(shaders: Sequence[Shader], target: str, *, simd: str | int = "auto") -> list[Program]:
    """Compiles the shaders of a pipeline together. Returns their programs in the order of the shaders."""
    jobs = []
    for shader in shaders:
        data, language = _source(shader.source, shader.language)
        jobs.append((data, language, shader.name, shader.entry, shader.stage))
    return _native.link(jobs, target, str(simd))


def program_from_json(text: str) -> Program:
    """Reads a program from the text that ``Program.to_json`` writes."""
    return _native.program_from_json(text)


def metadata(program: Program) -> dict[str, Any]:
    """Returns what a driver needs besides the code (docs/metadata.md)."""
    found: dict[str, Any] = json.loads(program.metadata_json())
    return found


def disassemble(code: Program | bytes, target: str | None = None, *, syntax: str = "mesa") -> str:
    """Returns the assembly text of a program, or of machine code for a target. ``syntax`` is mesa or iga."""
    data, target = _code(code, target)
    return _native.disassemble(data, target, syntax)


def validate(code: Program | bytes, target: str | None = None) -> list[Finding]:
    """Checks a program, or machine code for a target, against the rules of the hardware."""
    data, target = _code(code, target)
    return [Finding(*row) for row in _native.validate(data, target)]


def analyze(code: Program | bytes, target: str | None = None, *, simd_width: int | None = None) -> dict[str, Any]:
    """Analyses a program, or machine code for a target. The result has the schema docs/analysis.schema.json."""
    if isinstance(code, Program):
        found: dict[str, Any] = json.loads(code.analyze())
        return found
    data, target = _code(code, target)
    found = json.loads(_native.analyze_code(data, target, simd_width))
    return found


def _code(code: Program | bytes, target: str | None) -> tuple[bytes, str]:
    if isinstance(code, Program):
        return code.code, code.platform
    if target is None:
        raise TypeError("machine code needs a target")
    return bytes(code), target


def _restored(data: bytes, like: numpy.ndarray) -> numpy.ndarray:
    return numpy.frombuffer(data, dtype=like.dtype).reshape(like.shape).copy()


def run(
    program: Program,
    grid: tuple[int, int, int],
    *,
    buffers: Mapping[tuple[int, int], numpy.ndarray] | None = None,
    images: Mapping[tuple[int, int], Image] | None = None,
    samplers: Mapping[tuple[int, int], str] | None = None,
    push_constants: bytes = b"",
    budget: int = 1 << 26,
) -> Run:
    """Runs a compute program on the emulator, with ``grid`` workgroups.

    Resources are given by descriptor set and binding; samplers are "nearest" or "linear". The arrays of the arguments do
    not change. ``budget`` is the most instructions that a thread may execute. Raises CrestlineError.
    """
    given = {key: numpy.asarray(array) for key, array in (buffers or {}).items()}
    textures = {}
    pictures = []
    for key, image in (images or {}).items():
        texels = numpy.asarray(image.data)
        if texels.ndim < image.dimensions or image.dimensions not in (1, 2, 3):
            raise TypeError(f"image {key}: an array of {texels.ndim} axes has no {image.dimensions} dimensions")
        size = list(texels.shape[: image.dimensions])[::-1] + [1, 1]
        textures[key] = texels
        pictures.append((key, image.dimensions, image.format, size[:3], texels.tobytes()))
    filters = []
    for key, kind in (samplers or {}).items():
        if kind not in ("nearest", "linear"):
            raise ValueError(f"sampler {key}: expected nearest or linear, found {kind!r}")
        filters.append((key, kind == "linear"))
    bound = [(key, array.tobytes()) for key, array in given.items()]
    contents, counts = _native.dispatch(program, list(grid), bound, pictures, filters, push_constants, budget)
    left = Run({}, {}, *counts)
    for key, is_image, data in contents:
        if is_image:
            left.images[key] = _restored(data, textures[key])
        else:
            left.buffers[key] = _restored(data, given[key])
    return left


def draw(script: str, target: str, pictures: Sequence[str]) -> list[numpy.ndarray]:
    """Runs a script with shaders, pipelines and draw calls (docs/amber.md).

    Returns the images with the names ``pictures``, as arrays of height, width and four bytes. Raises CrestlineError if
    the script is wrong or an expectation in it does not hold.
    """
    _, found = _native.amber(script, target, list(pictures))
    return [numpy.frombuffer(data, dtype=numpy.uint8).reshape(height, width, 4) for width, height, data in found]


def targets() -> list[str]:
    """Returns the names of the platforms that the compiler supports."""
    return _native.targets()
