"""memgauge: does an assistant's memory earn its place? See `memgauge --help` and docs/."""

__version__ = "0.1.0"
