#!/bin/sh
# Start bootstrap.py with the first Python that runs at all; that one looks for a new enough one.
here=$(dirname "$0")
old=$HOME/.pyenv
for python in "$here/../.venv/bin/python" python3 python3.14 python3.13 python3.12 python \
    /usr/bin/python3 /usr/local/bin/python3 /opt/homebrew/bin/python3 \
    "$DALHC_PYTHON" "${PYENV_ROOT:-$old}"/versions/3.*/bin/python3
do
  if "$python" -c 'import sys; sys.exit(sys.version_info < (3, 8))' >/dev/null 2>&1; then
    exec "$python" "$here/bootstrap.py" "$@"
  fi
done
cat "$here/no-python.txt" >&2
exit 1
