from typing import final

__all__ = [
    "CrestlineError",
    "Program",
    "__version__",
    "amber",
    "analyze_code",
    "compile",
    "disassemble",
    "dispatch",
    "link",
    "program_from_json",
    "targets",
    "validate",
]
__version__: str

class CrestlineError(Exception): ...

@final
class Program:
    @property
    def code(self) -> bytes: ...
    @property
    def platform(self) -> str: ...
    @property
    def stage(self) -> str: ...
    def to_json(self) -> str: ...
    def metadata_json(self) -> str: ...
    def analyze(self) -> str: ...

def compile(
    source: bytes,
    target: str,
    language: str,
    name: str,
    entry: str | None,
    stage: str | None,
    simd: str,
    specialization: list[tuple[int, int]],
    robust_access: bool,
) -> Program: ...
def link(
    shaders: list[tuple[bytes, str, str, str | None, str | None]], target: str, simd: str
) -> list[Program]: ...
def program_from_json(text: str) -> Program: ...
def disassemble(code: bytes, target: str, syntax: str) -> str: ...
def validate(code: bytes, target: str) -> list[tuple[str, int, str, str]]: ...
def analyze_code(code: bytes, target: str, simd_width: int | None) -> str: ...
def targets() -> list[str]: ...
def dispatch(
    program: Program,
    grid: list[int],
    buffers: list[tuple[tuple[int, int], bytes]],
    images: list[tuple[tuple[int, int], int, str, list[int], bytes]],
    samplers: list[tuple[tuple[int, int], bool]],
    push_constants: bytes,
    budget: int,
) -> tuple[list[tuple[tuple[int, int], bool, bytes]], tuple[int, int, int, list[str]]]: ...
def amber(text: str, target: str, pictures: list[str]) -> tuple[int, list[tuple[int, int, bytes]]]: ...
