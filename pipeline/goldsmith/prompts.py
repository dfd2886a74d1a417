"""Prompts are files: front matter, a system part and a user part; the digest is the version.

A prompt file is Markdown::

    ---
    task: critique/standalone
    summary: Can the question be understood on its own?
    temperature: 0.0
    max_tokens: 400
    ---
    ## system
    ...
    ## user
    Question: {{ question }}

Placeholders are Jinja2. They are checked in both directions when the file is loaded: every
placeholder is a variable of the task, and every variable of the task is used.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

import jinja2
import jinja2.meta
import yaml
from pydantic import Field, ValidationError

from goldsmith.errors import SettingsError
from goldsmith.ids import text_digest
from goldsmith.records import Record

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pydantic import BaseModel

_FILE = re.compile(r"\A---\n(?P<head>.*?)\n---\n(?P<body>.*)\Z", re.DOTALL)
_PARTS = re.compile(r"\A\s*## system\n(?P<system>.*?)\n## user\n(?P<user>.*)\Z", re.DOTALL)
_JINJA = jinja2.Environment(
    undefined=jinja2.StrictUndefined,
    autoescape=False,  # noqa: S701 - the output is a prompt, not a page
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=False,
)


class FrontMatter(Record):
    """What a prompt file says about itself."""

    task: str
    summary: str
    temperature: float = Field(default=0.0, ge=0, le=2)
    max_tokens: int = Field(default=800, ge=1)


class Message(Record):
    role: str
    content: str


class Prompt(Record):
    """A loaded prompt file."""

    front: FrontMatter
    system: str
    user: str
    digest: str

    @property
    def version(self) -> str:
        """`task@digest`, with enough of the digest to tell versions apart."""
        return f"{self.front.task}@{self.digest[:12]}"

    def render(self, variables: BaseModel) -> tuple[Message, ...]:
        """The messages of one call; nothing of any other call can be in them."""
        values = {name: getattr(variables, name) for name in type(variables).model_fields}
        return tuple(
            Message(role=role, content=_rendered(template, values))
            for role, template in (("system", self.system), ("user", self.user))
        )


def _rendered(template: str, values: dict[str, object]) -> str:
    if "{" not in template:
        return template.strip()  # most system parts: nothing to fill in
    return _compiled(template).render(values).strip()


@cache
def _compiled(template: str) -> jinja2.Template:
    """A prompt is rendered thousands of times, and compiling costs more than rendering."""
    return _JINJA.from_string(template)


def load_prompt(folder: Path, task: str, variables: Iterable[str]) -> Prompt:
    """Read `folder/task.md` and check its placeholders against `variables`.

    Raises `SettingsError` naming the file and what is missing, unknown or malformed.
    """
    path = folder / f"{task}.md"
    try:
        content = path.read_text("utf-8").replace("\r\n", "\n")
    except FileNotFoundError as error:
        raise SettingsError(
            f"prompt {str(path)!r} does not exist: restore it, or copy it from `goldsmith init`"
        ) from error
    except UnicodeDecodeError as error:
        raise SettingsError(f"prompt {str(path)!r} is not UTF-8: {error}") from error
    front, body = _front_matter(path, content)
    if front.task != task:
        raise SettingsError(f"prompt {str(path)!r}: its front matter says task {front.task!r}")
    parts = _PARTS.match(body)
    if parts is None:
        raise SettingsError(f"prompt {str(path)!r} needs a '## system' and a '## user' part")
    _check_placeholders(path, parts["system"] + "\n" + parts["user"], set(variables))
    return Prompt(
        front=front, system=parts["system"], user=parts["user"], digest=text_digest(content)
    )


def _front_matter(path: Path, content: str) -> tuple[FrontMatter, str]:
    match = _FILE.match(content)
    if match is None:
        raise SettingsError(f"prompt {str(path)!r} needs front matter between two '---' lines")
    try:
        return FrontMatter.model_validate(yaml.safe_load(match["head"])), match["body"]
    except (yaml.YAMLError, ValidationError) as error:
        raise SettingsError(f"prompt {str(path)!r}: front matter: {error}") from error


def _check_placeholders(path: Path, template: str, variables: set[str]) -> None:
    try:
        found = jinja2.meta.find_undeclared_variables(_JINJA.parse(template))
    except jinja2.TemplateSyntaxError as error:
        raise SettingsError(f"prompt {str(path)!r}, line {error.lineno}: {error}") from error
    if unknown := sorted(found - variables):
        raise SettingsError(
            f"prompt {str(path)!r} uses unknown placeholders {unknown}; known: {sorted(variables)}"
        )
    if unused := sorted(variables - found):
        raise SettingsError(f"prompt {str(path)!r} lacks the placeholders {unused}")
