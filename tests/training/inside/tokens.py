"""Compares appended tokens with the whole chat template, in the training interpreter.

    PYTHONPATH=<checkout> <training python> tokens.py TOKENIZER < cases.json

A case is a row's messages and tools, the assistant's messages (raw text) with the results of their calls, what the user
says to those without calls, whether it thinks, and a limit of tokens for a result. Prints one JSON object a case:
`appended` and `whole` token ids, the mask, what the template of transformers and ours make of the prompt, and how many
tokens the longest shown result has.
"""

import json
import sys

from transformers import AutoTokenizer

from envfactory.dataset.rl import ChatMessage
from envfactory.training.cut import cut_result
from envfactory.training.tokens import TEMPLATE, TokenLine, render


def main(folder: str) -> None:
    """Read cases, print what came out."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    template = TEMPLATE.read_text(encoding="utf-8")
    for case in json.load(sys.stdin):
        thinking, schemas = case["thinking"], json.loads(case["tools"])
        messages = [ChatMessage(**message) for message in case["prompt"]]
        ours = render(messages, case["tools"], thinking=thinking)
        theirs = tokenizer.apply_chat_template(
            case["prompt"], tools=schemas, chat_template=template, tokenize=False,
            add_generation_prompt=True, enable_thinking=thinking,
        )  # fmt: skip
        line = TokenLine(tokenizer, ours, thinking=thinking, max_response_tokens=100_000)
        whole, longest = list(case["prompt"]), 0
        answers = iter(case["said"])
        for text, results in case["steps"]:
            shown = [cut_result(result, case["max_result_tokens"], tokenizer) for result in results]
            longest = max([longest, *(len(tokenizer.encode(one, add_special_tokens=False)) for one in shown)])
            said = text if thinking else text.removeprefix("<think>\n\n</think>\n\n")
            decoded = line.add_generated(tokenizer.encode(said + "<|im_end|>", add_special_tokens=False))
            if decoded != said + "<|im_end|>":
                raise SystemExit(f"{decoded!r} is not {said!r}")
            whole.append({"role": "assistant", "content": text})
            if results:
                if not line.add_results(shown):
                    raise SystemExit("no room")
                whole += [{"role": "tool", "content": one} for one in shown]
            elif answer := next(answers, None):
                if not line.add_words(answer):
                    raise SystemExit("no room")
                whole.append({"role": "user", "content": answer})
        full = tokenizer.apply_chat_template(
            whole, tools=schemas, chat_template=template, tokenize=True, return_dict=False, enable_thinking=thinking
        )
        own = render([ChatMessage(**message) for message in whole], case["tools"], thinking=thinking, answer=False)
        print(
            json.dumps(
                {
                    "appended": line.ids + tokenizer.encode("\n", add_special_tokens=False),
                    "whole": full,
                    "rendered_whole": tokenizer.encode(own, add_special_tokens=False),
                    "generated": tokenizer.decode([i for i, m in zip(line.response, line.mask, strict=True) if m]),
                    "ours": ours,
                    "theirs": theirs,
                    "longest": longest,
                }
            )
        )


if __name__ == "__main__":
    main(sys.argv[1])
