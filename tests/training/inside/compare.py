"""Loads two models, in the training interpreter, and prints how far apart their weights are at most.

<training python> compare.py MODEL MODEL
"""

import sys

from transformers import AutoModelForCausalLM, AutoTokenizer

one, other = (AutoModelForCausalLM.from_pretrained(folder).float() for folder in sys.argv[1:])
AutoTokenizer.from_pretrained(sys.argv[2])
theirs = dict(other.named_parameters())
assert theirs.keys() == dict(one.named_parameters()).keys()
print(max(float((weight - theirs[name]).abs().max()) for name, weight in one.named_parameters()))
