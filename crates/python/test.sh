#!/usr/bin/env bash
# Builds the wheel with maturin in a virtual environment (target/python) and runs the tests of the package. A second run
# uses the environment again.
set -euo pipefail
cd "$(dirname "$0")"
. ./environment.sh
# The profile dev: the compiler runs fast enough for small tests, and CI has built most of it already.
maturin build --quiet --profile dev --features glslang --interpreter python3 --out "$environment/wheels"
pip install --quiet --force-reinstall --no-deps "$environment"/wheels/crestline-*.whl
pytest --quiet "$@"
