"""Measures the turns to be played in tokens, and leaves out those whose prompt is too long.

    PYTHONPATH=<folder of the package> <training python> check_rl.py request.json report.json

The request names the tokenizer's file, the most tokens of a prompt, whether the model thinks, whether a simulated user
is in the loop (prompts may then be shorter), and files of rows by set; of each, what is left goes to `<set>.parquet` in
the working folder. The report tells how many there are, their longest prompt, the ids of those left out, and the
environments of the others. A prompt is never cut: its system message and tools come first.
"""

import json
import sys
from pathlib import Path

from tokenizers import Tokenizer

from envfactory.dataset.rl import read_rl_rows, write_rl_rows
from envfactory.training.tokens import render


def main(request_file: str, report_file: str) -> None:
    """Write what is left, and the report."""
    request = json.loads(Path(request_file).read_text())
    tokenizer = Tokenizer.from_file(request["tokenizer"])
    report = {}
    environments = set()
    for name, path in request["files"].items():
        found = {"longest": 0, "left_out": []}

        def fitting(path=path, found=found):
            for row in read_rl_rows(Path(path)):
                opening = row.opening(simulated=request["simulated"])
                prompt = render(opening, row.tools, thinking=request["thinking"])
                length = len(tokenizer.encode(prompt, add_special_tokens=False).ids)
                found["longest"] = max(found["longest"], length)
                if length <= request["most"]:
                    environments.update(row.reference.environments)
                    yield row
                else:
                    found["left_out"].append(row.id)

        rows = write_rl_rows(Path(f"{name}.parquet"), fitting())
        report[name] = {"rows": rows, **found}
    Path(report_file).write_text(json.dumps({**report, "environments": sorted(environments)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
