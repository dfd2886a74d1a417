"""`python -m tests.support.kill_at_write N ...`: the command line, killed at its Nth finished file.

SIGKILL, as the system sends it: no handler runs, no file is closed.
"""

from __future__ import annotations

import os
import signal
import sys
from itertools import count
from pathlib import Path

from goldsmith.cli.main import main

if __name__ == "__main__":
    last = int(sys.argv.pop(1))
    place = Path.replace
    numbers = count(1)

    def replace(self: Path, target: Path) -> Path:
        if next(numbers) == last:
            os.kill(os.getpid(), signal.SIGKILL)
        return place(self, target)

    Path.replace = replace  # type: ignore[method-assign, assignment]
    main()
