#!/usr/bin/env bash
# Builds the module with the feature `bench` in the virtual environment that test.sh makes, and runs the benchmark.
set -euo pipefail
cd "$(dirname "$0")"
. ./environment.sh
maturin build --quiet --profile "${1:-release}" --features bench --interpreter python3 --out "$environment/bench"
packages="$(mktemp -d)"
trap 'rm -rf "$packages"' EXIT
# A folder of its own, so that the tests' package stays as it is.
pip install --quiet --no-deps --target "$packages" "$environment"/bench/crestline-*.whl
PYTHONPATH="$packages" python3 benches/calls.py
