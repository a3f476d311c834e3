"""`python -m felix_cli`: felix, also where its script is not in PATH."""

from felix_cli.main import cli

if __name__ == "__main__":
    cli(prog_name="felix")
