"""The YAML head of a dataset card: what the Hub's checker and `load_dataset` read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import yaml

from goldsmith.release.layout import CONFIGS, SPLIT

if TYPE_CHECKING:
    from goldsmith.release.manifest import Manifest

# https://huggingface.co/docs/hub/repositories-licenses: the checker refuses any other word.
HUB_LICENCES = frozenset(
    """
    apache-2.0 mit openrail bigscience-openrail-m creativeml-openrail-m bigscience-bloom-rail-1.0
    bigcode-openrail-m afl-3.0 artistic-2.0 bsl-1.0 bsd bsd-2-clause bsd-3-clause
    bsd-3-clause-clear c-uda cc cc0-1.0 cc-by-2.0 cc-by-2.5 cc-by-3.0 cc-by-4.0 cc-by-sa-3.0
    cc-by-sa-4.0 cc-by-nc-2.0 cc-by-nc-3.0 cc-by-nc-4.0 cc-by-nd-4.0 cc-by-nc-nd-3.0
    cc-by-nc-nd-4.0 cc-by-nc-sa-2.0 cc-by-nc-sa-3.0 cc-by-nc-sa-4.0 cdla-sharing-1.0
    cdla-permissive-1.0 cdla-permissive-2.0 wtfpl ecl-2.0 epl-1.0 epl-2.0 etalab-2.0 eupl-1.1
    agpl-3.0 gfdl gpl gpl-2.0 gpl-3.0 lgpl lgpl-2.1 lgpl-3.0 isc lppl-1.3c ms-pl mpl-2.0 odc-by
    odbl openrail++ osl-3.0 postgresql ofl-1.1 ncsa unlicense zlib pddl lgpl-lr
    deepfloyd-if-license llama2 gemma unknown other
    """.split()  # noqa: SIM905 - a paragraph reads better than seventy quoted words
)

_SIZES = (
    (1_000, "n<1K"),
    (10_000, "1K<n<10K"),
    (100_000, "10K<n<100K"),
    (1_000_000, "100K<n<1M"),
)
_LANGUAGE_CODE = re.compile(r"[a-z]{2,3}")


def yaml_head(manifest: Manifest) -> str:
    """The head between its two `---` lines, ending in a newline."""
    values: dict[str, object] = {
        "pretty_name": f"{manifest.name} {manifest.version}",
        **_licence(manifest.licence),
        "language": _languages(manifest),
        "size_categories": [_size(manifest.counts.rows["questions"])],
        "task_categories": ["question-answering", "text-retrieval"],
        "tags": ["rag", "retrieval", "citations", "evaluation", "benchmark", "goldsmith"],
        "annotations_creators": ["machine-generated"],
        "configs": [_config(n, table.name, manifest) for n, table in enumerate(CONFIGS)],
    }
    listed = {key: value for key, value in values.items() if value}
    body = yaml.safe_dump(listed, sort_keys=False, allow_unicode=True, width=100)
    return f"---\n{body}---\n"


def _licence(licence: str) -> dict[str, object]:
    known = licence.lower()
    if known in HUB_LICENCES:
        return {"license": known}
    return {"license": "other", "license_name": licence}


def _languages(manifest: Manifest) -> list[str]:
    return [code for code in manifest.counts.by_language if _LANGUAGE_CODE.fullmatch(code)]


def _size(questions: int) -> str:
    return next((name for limit, name in _SIZES if questions < limit), "1M<n<10M")


def _config(position: int, name: str, manifest: Manifest) -> dict[str, object]:
    """A config; its description is part of the key of the loader's cache.

    The datasets library knows a local folder by its last name and its head alone: without the
    digest there, it would serve the rows of another project's `1.0.0` as those of this one.
    """
    config: dict[str, object] = {
        "config_name": name,
        "description": f"{manifest.name} {manifest.version}, digest {manifest.digest}",
        "data_files": [{"split": SPLIT, "path": f"{name}.parquet"}],
    }
    return config | ({"default": True} if position == 0 else {})
