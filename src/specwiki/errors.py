"""Every error that a user can see. This module imports nothing of specwiki.

SpecwikiError
├── InputError        a file, flag or parameter that somebody wrote         exit 2
├── EngineError       the engine or the host cannot be used                 exit 3
│   └── CrashError        it ended, or stopped answering, while it was in use
├── CheckError        a check of data or pages failed                       exit 1
│   ├── MeasurementError  failed requests, counters that disagree, a void block
│   ├── DataError         a stored file does not have its schema or hash
│   ├── ClaimError        a claim without a wording, or one that cannot be evaluated
│   └── StaleError        a translation of something that changed since
"""

from typing import ClassVar


class SpecwikiError(Exception):
    """An error with a place, a fact and a next step.

    Attributes:
        where: File, flag, parameter or part that the error is about.
        what: What is wrong, with the value that came and what was expected.
        hint: What to do next, a sentence; its full stop may be left out.
    """

    exit_code: ClassVar[int] = 1

    def __init__(self, where: str, what: str, hint: str) -> None:
        end = "" if hint.endswith((".", "?")) else "."
        super().__init__(f"{where}: {what}. {hint}{end}")
        self.where = where
        self.what = what
        self.hint = hint


class InputError(SpecwikiError):
    """Something that the user wrote cannot be used."""

    exit_code = 2


class EngineError(SpecwikiError):
    """The engine or the host that it should run on cannot be used."""

    exit_code = 3


class CrashError(EngineError):
    """The engine ended, or stopped answering, while it was in use; starting it again may help."""


class CheckError(SpecwikiError):
    """Data or pages are not what they must be."""


class MeasurementError(CheckError):
    """What was measured cannot be trusted, or cannot be computed from what was measured."""


class DataError(CheckError):
    """A stored file does not have its schema, or its hash."""


class ClaimError(CheckError):
    """A claim lacks a wording, names no value, or cannot be evaluated."""


class StaleError(CheckError):
    """A translation is missing or of something that changed since, or a result is older than was asked for."""


class ProblemsError(SpecwikiError):
    """Several errors found together; all of them are printed.

    Attributes:
        problems: The errors, in the order in which they were found; at least one.
    """

    def __init__(self, problems: list[SpecwikiError]) -> None:
        first = problems[0]
        super().__init__(first.where, first.what, first.hint)
        self.problems = problems

    @property
    def worst_exit_code(self) -> int:
        """The highest exit code among the problems."""
        return max(problem.exit_code for problem in self.problems)


def raise_all(problems: list[SpecwikiError]) -> None:
    """Raise what was collected: nothing, the one error, or all of them together."""
    if len(problems) == 1:
        raise problems[0]
    if problems:
        raise ProblemsError(problems)
