"""`python -m kmux`: the command `kmux`, as the wheel carries it."""

from kmux_command import main

if __name__ == "__main__":
    main()
