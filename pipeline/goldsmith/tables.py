"""Records in files: Parquet for tables, JSON for small metrics, always all or nothing.

Every file is written under a temporary name in its own folder and moved into place, so that a
process killed in the middle leaves the old file or none, never half of one.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from functools import cache
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Any, Generic, TypeVar, Union, get_args, get_origin

import orjson
import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import BaseModel, ValidationError

from goldsmith.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from goldsmith.records import Record

R = TypeVar("R", bound="Record")

_SCALARS: dict[type, pa.DataType] = {
    str: pa.string(),
    bool: pa.bool_(),
    int: pa.int64(),
    float: pa.float64(),
}
_BATCH_ROWS = 4096
_BATCH_CHARACTERS = 16_000_000
"""A batch ends at either; documents can be long."""


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary path beside `path` that takes its place when the block ends without an error."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        # mkstemp makes files private; what is written here is as public as any other output.
        temporary.chmod(0o644)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


@cache
def arrow_schema(record: type[BaseModel]) -> pa.Schema:
    """The Arrow schema of a record type, read off its annotations."""
    return pa.schema(
        [
            pa.field(name, _arrow_type(field.annotation))
            for name, field in record.model_fields.items()
        ]
    )


def _arrow_type(annotation: Any) -> pa.DataType:  # noqa: ANN401 - a type form, not a value
    origin = get_origin(annotation)
    if origin in (Union, UnionType):
        (inner,) = (arg for arg in get_args(annotation) if arg is not type(None))
        return _arrow_type(inner)
    if origin is tuple:
        return pa.list_(_arrow_type(get_args(annotation)[0]))
    if issubclass(annotation, BaseModel):
        return pa.struct(list(arrow_schema(annotation)))
    for python_type, arrow_type in _SCALARS.items():
        if issubclass(annotation, python_type):
            return arrow_type
    raise TypeError(f"no Arrow type for {annotation!r}")


class TableWriter(Generic[R]):
    """Takes the rows of a table one by one; see `table_writer`."""

    def __init__(self, record: type[R], writer: pq.ParquetWriter) -> None:
        self._schema = arrow_schema(record)
        self._writer = writer
        self._batch: list[dict[str, Any]] = []
        self._characters = 0
        self.count = 0
        """Rows so far."""

    def write(self, row: R) -> None:
        values = row.model_dump(mode="json")
        self._batch.append(values)
        self._characters += sum(len(value) for value in values.values() if isinstance(value, str))
        self.count += 1
        if len(self._batch) == _BATCH_ROWS or self._characters >= _BATCH_CHARACTERS:
            self.flush()

    def flush(self) -> None:
        """Write what was collected as a row group."""
        self._writer.write_table(pa.Table.from_pylist(self._batch, schema=self._schema))
        self._batch, self._characters = [], 0


@contextlib.contextmanager
def table_writer(path: Path, record: type[R]) -> Iterator[TableWriter[R]]:
    """A Parquet table to write rows to; it appears at `path` when the block ends without error.

    For stages that write several tables from one stream; memory holds one batch of each.
    """
    with replacing(path) as temporary, pq.ParquetWriter(temporary, arrow_schema(record)) as file:
        writer = TableWriter(record, file)
        yield writer
        writer.flush()


def write_table(path: Path, record: type[R], rows: Iterable[R]) -> int:
    """Write `rows` as Parquet, a batch at a time, and return how many there were."""
    with table_writer(path, record) as table:
        for row in rows:
            table.write(row)
    return table.count


def iter_table(path: Path, record: type[R]) -> Iterator[R]:
    """Read a table that `write_table` wrote, a batch at a time.

    Raises `InputError` when the file is missing, is no Parquet, or holds another kind of row.
    """
    if not path.is_file():
        raise InputError(f"{path} does not exist: run the stage that writes it first")
    try:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=_BATCH_ROWS):
                for row in batch.to_pylist():
                    yield record.model_validate(row)
    except (pa.ArrowInvalid, ValidationError) as error:
        raise InputError(f"{path} is not a table of {record.__name__}: {error}") from error


def read_table(path: Path, record: type[R]) -> list[R]:
    """All rows of a table; see `iter_table`."""
    return list(iter_table(path, record))


def write_json(path: Path, value: object) -> None:
    """Write a JSON document with sorted keys, indented, with a final newline."""
    option = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE
    write_bytes(path, orjson.dumps(value, option=option))


def write_bytes(path: Path, content: bytes) -> None:
    with replacing(path) as temporary:
        temporary.write_bytes(content)


def read_json(path: Path) -> Any:  # noqa: ANN401 - the caller validates
    """Parse a JSON document; raises `InputError` naming the file."""
    try:
        return orjson.loads(path.read_bytes())
    except FileNotFoundError as error:
        raise InputError(f"{path} does not exist") from error
    except orjson.JSONDecodeError as error:
        raise InputError(f"{path} is not JSON: {error}") from error
