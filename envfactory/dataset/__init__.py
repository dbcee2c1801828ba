"""The files that leave the pipeline: training sets, how they were split, and a check of every data file."""

from envfactory.dataset.rl import ChatMessage, RLRow, RowUser, read_rl_rows, rl_rows, write_rl_rows
from envfactory.dataset.sft import Message, Sample, dataset_info, samples, step_text, write_samples
from envfactory.dataset.split import SETS, SetName, Sizes, Splits, group_of, read_splits, split, write_splits
from envfactory.dataset.tools import ToolEntry, ToolFile, read_tools, tool_file, write_tools

__all__ = [
    "SETS",
    "ChatMessage",
    "Message",
    "RLRow",
    "RowUser",
    "Sample",
    "SetName",
    "Sizes",
    "Splits",
    "ToolEntry",
    "ToolFile",
    "dataset_info",
    "group_of",
    "read_rl_rows",
    "read_splits",
    "read_tools",
    "rl_rows",
    "samples",
    "split",
    "step_text",
    "tool_file",
    "write_rl_rows",
    "write_samples",
    "write_splits",
    "write_tools",
]
