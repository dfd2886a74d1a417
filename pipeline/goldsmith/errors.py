"""Everything that goldsmith raises on purpose.

    GoldsmithError                  exit status 2 unless a subclass says otherwise
    ├── InputError                  a file, folder or record that the user gave is not usable
    ├── SettingsError               a settings file, key or prompt is wrong
    ├── ModelError                  the language model cannot be asked at all (endpoint, key, name)
    ├── CacheError                  the response cache cannot be read or written
    ├── BudgetExceededError         stopped at a limit with everything so far kept (exit status 3)
    └── CheckError                  a check or gate failed (exit status 1)
        ├── ConservationError       a stage lost or invented items: a defect of goldsmith itself
        └── UnsoundReleaseError     a release that contradicts itself does not freeze

Trouble with one item of many is data (`records.Dropped`), not an exception. Errors of other
libraries are translated where they enter, so that callers only ever catch these.
"""

from __future__ import annotations

from enum import IntEnum


class ExitStatus(IntEnum):
    """What the process tells its caller; scripts and CI depend on these numbers."""

    DONE = 0
    CHECK_FAILED = 1
    BAD_INPUT = 2
    BUDGET = 3


class GoldsmithError(Exception):
    """Base of all expected errors: one line that names the thing and says what to do."""

    exit_status = ExitStatus.BAD_INPUT


class InputError(GoldsmithError):
    """A file, folder or record given by the user cannot be used as it is."""


class SettingsError(GoldsmithError):
    """A settings file, a setting, or a prompt file is wrong."""


class ModelError(GoldsmithError):
    """The model as a whole is out of reach; going on would only repeat the failure."""


class CacheError(GoldsmithError):
    """The response cache is unreadable, locked or full."""


class BudgetExceededError(GoldsmithError):
    """A limit on calls, tokens or money was reached; what was answered is in the cache."""

    exit_status = ExitStatus.BUDGET


class CheckError(GoldsmithError):
    """A check that the user asked for came out negative."""

    exit_status = ExitStatus.CHECK_FAILED


class ConservationError(CheckError):
    """requested = kept + rejected + failed does not hold."""


class UnsoundReleaseError(CheckError):
    """A release that contradicts itself; the message lists the rows."""
