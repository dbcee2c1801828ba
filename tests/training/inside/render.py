"""Renders conversations with a chat template, in the training interpreter.

<training python> render.py MODEL TEMPLATE|own ASKED ANSWER
"""

import json
import sys
from pathlib import Path

from transformers import AutoTokenizer

model, template, asked, answer = sys.argv[1:]
tokenizer = AutoTokenizer.from_pretrained(model)
chosen = None if template == "own" else Path(template).read_text()
rendered = [
    tokenizer.apply_chat_template(
        conversation["messages"], tools=conversation["tools"], chat_template=chosen, tokenize=True, return_dict=False
    )
    for conversation in json.loads(Path(asked).read_text())
]
Path(answer).write_text(json.dumps(rendered))
