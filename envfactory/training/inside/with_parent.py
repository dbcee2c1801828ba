"""Becomes another program, which the system asks to end when the process that started it is no more (Linux).

python with_parent.py PROGRAM ARGUMENTS...
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1

if __name__ == "__main__":
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    os.execvp(sys.argv[1], sys.argv[1:])  # noqa: S606 - what it is for
