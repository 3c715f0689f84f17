"""Compiles a corpus on a cluster of dask.

>>> from distributed import Client
>>> results = crestline.dask.compile_all(Client(), {"a.wgsl": text}, "skl")  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from . import CrestlineError, Program, compile, place, program_from_json

__all__ = ["Compiled", "compile_all", "compile_one"]


@dataclass(frozen=True)
class Compiled:
    """The result of a shader: JSON text of the program, or code and message of the error."""

    json: str | None
    code: str | None = None
    message: str | None = None

    def program(self) -> Program:
        """The program. Raises ValueError if the shader did not compile."""
        if self.json is None:
            raise ValueError(self.message)
        return program_from_json(self.json)


def compile_one(source: str | bytes, target: str, options: Mapping[str, Any]) -> Compiled:
    """Compiles a shader. An error becomes a result, so that it ends no other shader's work."""
    try:
        return Compiled(compile(source, target, **options).to_json())
    except CrestlineError as error:
        return Compiled(None, place(error).code, str(error.args[0]))


def compile_all(
    client: Any, corpus: Mapping[str, str | bytes], target: str, **options: Any
) -> dict[str, Compiled]:
    """Compiles the shaders of a corpus on the workers of a ``distributed.Client``.

    ``corpus`` maps names to sources; ``options`` are those of ``crestline.compile``. The result has the order of the
    corpus and does not depend on the cluster. The package must be installed on the workers.
    """
    names = list(corpus)
    futures = client.map(compile_one, [corpus[name] for name in names], target=target, options=options, pure=False)
    return dict(zip(names, client.gather(futures)))
