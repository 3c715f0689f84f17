#!/usr/bin/env bash
# Builds the wheel with maturin in a virtual environment (target/python) and runs the tests of the package. A second run
# uses the environment again.
set -euo pipefail
cd "$(dirname "$0")"
environment="$(cd ../.. && pwd)/target/python"
if ! [ -x "$environment/bin/maturin" ]; then
    python3 -m venv "$environment"
    "$environment/bin/pip" install --quiet -r requirements-test.txt
fi
export VIRTUAL_ENV="$environment" PATH="$environment/bin:$PATH"
# The profile dev: the compiler runs fast enough for small tests, and CI has built most of it already.
maturin build --quiet --profile dev --features glslang --interpreter python3 --out "$environment/wheels"
pip install --quiet --force-reinstall --no-deps "$environment"/wheels/crestline-*.whl
pytest --quiet "$@"
