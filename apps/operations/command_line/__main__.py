"""`python -m apps.operations.command_line`: the same command where no console script is."""

from apps.operations.command_line.main import main

if __name__ == "__main__":
    main()
