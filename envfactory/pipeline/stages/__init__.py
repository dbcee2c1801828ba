"""The stages, one module each; every module names its stage `STAGE`."""
