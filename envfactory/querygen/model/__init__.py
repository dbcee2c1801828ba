"""The roles of QueryGen by a language model, one a module, each beside its implementation by rules.

What a model says is never taken on trust: every answer has a form, is checked against what the program needs, is asked
for again with what was wrong, and gives way to rules, or to no trajectory at all, if it stays wrong.
"""

from envfactory.querygen.model.assistant import AssistantLimits, Calling, Conversation, ModelAssistant
from envfactory.querygen.model.initial_state import ModelInitialState
from envfactory.querygen.model.judge import Grades, ModelJudge
from envfactory.querygen.model.planner import ModelPlanner
from envfactory.querygen.model.player import ModelPlayer
from envfactory.querygen.model.refiner import ModelRefiner
from envfactory.querygen.model.user import ModelUser
from envfactory.querygen.model.writer import ModelWriter

__all__ = [
    "AssistantLimits",
    "Calling",
    "Conversation",
    "Grades",
    "ModelAssistant",
    "ModelInitialState",
    "ModelJudge",
    "ModelPlanner",
    "ModelPlayer",
    "ModelRefiner",
    "ModelUser",
    "ModelWriter",
]
