# Enters the virtual environment with maturin, target/python, which is made if it does not exist. Sourced by scripts of this
# folder, which is the current one. Sets `environment`.
environment="$(cd ../.. && pwd)/target/python"
if ! [ -x "$environment/bin/maturin" ]; then
    python3 -m venv "$environment"
    "$environment/bin/pip" install --quiet -r requirements-test.txt
fi
export VIRTUAL_ENV="$environment" PATH="$environment/bin:$PATH"
