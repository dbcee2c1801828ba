"""Takes probabilities with the CPU's shortcut and without, in the training interpreter; prints how far apart they are.

PYTHONPATH=<shims>:<folder of the package> <training python> short.py
"""

from types import SimpleNamespace

import torch
from tensordict import TensorDict
from verl.utils import tensordict_utils as tu
from verl.utils.experimental.torch_functional import FusedLinearForPPO
from verl.workers.engine.fsdp.transformer_impl import FSDPEngineWithLMHead

PROMPT, RESPONSE, HIDDEN, VOCABULARY = 50, 9, 16, 100

torch.manual_seed(0)
ids = torch.randint(VOCABULARY, (PROMPT + RESPONSE,))
rolled = torch.roll(ids, -1)[None]
weights = torch.randn(VOCABULARY, HIDDEN)


def reckoned(rows):
    """Log probabilities of the response and the gradient of their sum, for a batch of some rows."""

    def nested(values):
        return torch.nested.as_nested_tensor([values] * rows, layout=torch.jagged)

    batch = TensorDict(
        {"input_ids": nested(ids), "position_ids": nested(torch.arange(len(ids))), "responses": nested(ids[PROMPT:])},
        batch_size=[rows],
    )
    for name, value in {"use_remove_padding": False, "use_fused_kernels": True, "temperature": 0.7}.items():
        tu.assign_non_tensor_data(batch, name, value)
    FSDPEngineWithLMHead.prepare_model_inputs(SimpleNamespace(pad_to_length=False), batch)
    torch.manual_seed(1)
    hidden = torch.randn(1, PROMPT + RESPONSE, HIDDEN, requires_grad=True)
    log_probs, entropy = FusedLinearForPPO()(hidden, weights, rolled, 0.7)
    # A token is predicted at the position before it.
    read = slice(PROMPT - 1, PROMPT + RESPONSE - 1)
    log_probs[:, read].sum().backward()
    return log_probs.detach(), [log_probs[:, read].detach(), entropy[:, read].detach(), hidden.grad]


# Of two rows of one length the shortcut takes none.
whole, expected = reckoned(2)
short, found = reckoned(1)
assert whole[:, : PROMPT - 1].all()
assert not short[:, : PROMPT - 1].any()
print(max(float((one - other).abs().max()) for one, other in zip(expected, found, strict=True)))
