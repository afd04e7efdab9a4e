"""Make .venv hold exactly what a lock file says: `bootstrap.py run` or `bootstrap.py dev`.

It runs before anything is installed: standard library only, and only what Python 3.8 has.
"""

from __future__ import annotations

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from scripts import stamp


def main(arguments: list[str]) -> int:
    """`run` is what the server needs; `dev` has all of that and the tools."""
    if len(arguments) != 1 or arguments[0] not in stamp.LOCKS:
        print("usage: bootstrap.py run|dev", file=sys.stderr)
        return 2
    if stamp.fits(arguments[0]):
        return 0
    from scripts import environment  # only now: it costs more to load than the check above

    return environment.make(arguments[0])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
