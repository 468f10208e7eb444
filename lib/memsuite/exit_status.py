# SPDX-License-Identifier: GPL-2.0-only
"""The exit statuses, which are summed up where several hold, as those of fsck(8) and smartctl(8)."""

FAILED, USAGE, BAD_MEMORY, PARTIAL, UNTESTED, CANCELLED, NOT_LOADED = (1 << bit for bit in range(7))
# Of the command that `zone run` runs, as of env(1) and nohup(1).
NOT_EXECUTABLE, NOT_FOUND = 126, 127

MEANINGS = {
    0: "done; a test: all was tested, and all is good",
    FAILED: "it failed; with status, doctor, diag plan: something is not as it should be",
    USAGE: "the command line is wrong",
    BAD_MEMORY: "bad memory was found",
    PARTIAL: "a part could not be tested",
    UNTESTED: "nothing was tested",
    CANCELLED: "cancelled, by a signal or by somebody else",
    NOT_LOADED: "a module that it takes is not loaded",
}


# Of any command; what one adds, or means by one, is where it is added.
COMMON = {0: "done", FAILED: "it failed", **{status: MEANINGS[status] for status in (USAGE, CANCELLED, NOT_LOADED)}}


def help_text(meanings):
    """For the end of --help."""
    return "exit status, a sum where several hold:\n" + "\n".join(
        f"  {status:<5}{meaning}" for status, meaning in sorted(meanings.items()))
