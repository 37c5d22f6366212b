"""What can go wrong in an export. Messages read "problem (why). What to do."."""


class ExportError(Exception):
    """The export failed; `exit_code` is what the command line returns."""

    exit_code = 1


class UsageError(ExportError):
    """What the user named does not exist or does not fit: module, function, argument, target."""

    exit_code = 2


class UnsupportedError(ExportError):
    """The kernel is not a prim_func, TileLang cannot lower it, or it uses something a kmux program cannot say."""

    exit_code = 3


class MiscomputedError(UnsupportedError):
    """What TileLang generates for the target computes other values than the kernel specifies, with every compiler."""
