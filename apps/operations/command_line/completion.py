"""What shells need to complete the commands, their options and choices.

A shell asks for it whenever it starts, so that it is written from a table and loads no command.
"""

from collections.abc import Iterator

from apps.operations.command_line.commands import COMMANDS, SHELLS
from apps.operations.command_line.options import OPTIONS
from apps.operations.command_line.program_name import NAME

COMPLETION = "completion"


def script(*, shell: str) -> str:
    """Return the script for a shell."""
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell]()


def _choices() -> Iterator[tuple[str, str, str]]:
    """Yield command, option and its choices."""
    for name, options in OPTIONS.items():
        for option, some in options.items():
            if some:
                yield name, option, " ".join(some)


def _bash() -> str:
    words = "\n".join(
        f"    '{name} '-*) words='{' '.join(options)}' ;;" for name, options in OPTIONS.items()
    )
    choices = "\n".join(
        f"    '{name} {option}') words='{some}' ;;" for name, option, some in _choices()
    )
    return f"""_{NAME}() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" words=''
  case "${{COMP_WORDS[1]}} $word" in
{words}
    '{COMPLETION} '*) words='{" ".join(SHELLS)}' ;;
  esac
  case "${{COMP_WORDS[1]}} ${{COMP_WORDS[COMP_CWORD-1]}}" in
{choices}
  esac
  if [ "$COMP_CWORD" = 1 ]; then words='{" ".join(COMMANDS)}'; fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o bashdefault -o default -F _{NAME} {NAME}
"""


def _zsh() -> str:
    return f"""autoload -U +X bashcompinit && bashcompinit
{_bash()}"""


def _fish() -> str:
    first = f"complete -c {NAME} -n __fish_use_subcommand"
    lines = [f"{first} -f"]
    lines += [f"{first} -a {name} -d {_quoted(told)}" for name, told in COMMANDS.items()]
    for name, options in OPTIONS.items():
        seen = f"complete -c {NAME} -n '__fish_seen_subcommand_from {name}'"
        if name == COMPLETION:
            lines.append(f"{seen} -f -a '{' '.join(SHELLS)}'")
        for option, some in options.items():
            more = f" -x -a '{' '.join(some)}'" if some else ""
            lines.append(f"{seen} -l {option.removeprefix('--')}{more}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "\\'") + "'"
