"""The command ``python -m sparsetrace``.

Contract: this module reads the command line and does nothing else.
"""

from __future__ import annotations

import argparse
import io
import sys

from sparsetrace.api.coverage import page
from sparsetrace.api.demo import main as demo


def main(arguments: list[str] | None = None) -> None:
    """Run the command line.

    Parameters
    ----------
    arguments : list of str, optional
        The words of the command line; those of the process by default.
    """
    parser = argparse.ArgumentParser(
        prog="python -m sparsetrace", description="Sparsity patterns of NumPy functions."
    )
    commands = parser.add_subparsers(required=True, dest="command")
    commands.add_parser("demo", help="trace two functions and print their patterns")
    commands.add_parser("coverage", help="say how each function of NumPy is answered")
    chosen = parser.parse_args(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A terminal without braille shows question marks rather than an error.
        sys.stdout.reconfigure(errors="replace")
    if chosen.command == "coverage":
        print(page(), end="")
    else:
        demo()


if __name__ == "__main__":
    main()
