"""Training by programs of others, run as subprocesses of an interpreter of their own.

The main package stays light: nothing here imports torch or a trainer. Modules in `inside` are scripts that only the
training interpreter runs; they import nothing of this package.
"""
