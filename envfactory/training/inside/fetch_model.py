"""Fetches a model of the hub at one commit, and tells where it is.

    <training python> fetch_model.py REPOSITORY REVISION ANSWER

The answer is a file.
"""

import sys
from pathlib import Path

from huggingface_hub import snapshot_download

if __name__ == "__main__":
    repository, revision, answer = sys.argv[1:]
    Path(answer).write_text(snapshot_download(repository, revision=revision))
