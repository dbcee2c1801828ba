"""The real entrypoint with toy stages: `python toy_main.py [overrides]`."""

import sys

import toys

from envfactory.__main__ import main

toys.install()
sys.exit(main())
