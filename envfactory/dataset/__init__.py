"""The files that leave the pipeline: training sets, how they were split, and a check of every data file."""

from envfactory.dataset.sft import Message, Sample, dataset_info, samples, step_text, write_samples
from envfactory.dataset.split import SETS, SetName, Sizes, Splits, group_of, read_splits, split, write_splits
from envfactory.dataset.tools import ToolEntry, ToolFile, read_tools, tool_file, write_tools

__all__ = [
    "SETS",
    "Message",
    "Sample",
    "SetName",
    "Sizes",
    "Splits",
    "ToolEntry",
    "ToolFile",
    "dataset_info",
    "group_of",
    "read_splits",
    "read_tools",
    "samples",
    "split",
    "step_text",
    "tool_file",
    "write_samples",
    "write_splits",
    "write_tools",
]
