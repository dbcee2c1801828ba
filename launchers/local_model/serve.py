"""Serves a GGUF model in this process through llama.cpp's own OpenAI-compatible server, on 127.0.0.1 alone.

    python serve.py MODEL.gguf NAME PORT CONTEXT THREADS

NAME is what the model says that it is called, CONTEXT is in tokens. It ends when it is told to (SIGTERM, SIGINT), or
when its parent is gone.
"""

from __future__ import annotations

import os
import signal
import sys
import threading

import xllamacpp


def main(model: str, name: str, port: int, context: int, threads: int) -> None:
    """Serve until told to end."""
    settings = xllamacpp.CommonParams()
    settings.model.path = model
    settings.model_alias = {name}
    settings.hostnames = ["127.0.0.1"]
    settings.port = port
    settings.n_ctx = context
    settings.n_parallel = 1
    settings.use_jinja = True
    settings.ui = False
    for pool in (settings.cpuparams, settings.cpuparams_batch):
        pool.n_threads = threads
        pool.poll = 0  # waiting threads sleep: other work shares the cores
    server = xllamacpp.Server(settings)
    print(f"serving {model} at {server.listening_address}", flush=True)
    ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ended.set())
    parent = os.getppid()
    while not ended.wait(1) and os.getppid() == parent:
        pass
    # llama.cpp's own threads need not be waited for.
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], *(int(word) for word in sys.argv[3:6]))
