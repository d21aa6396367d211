"""What vLLM's /metrics says: text to snapshot, two snapshots to counters.

Owns names, renames and resets; fetches nothing, and never guesses: what cannot be read is an error or an `Absence`.
"""

import re
from collections import Counter
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from specwiki.core.acceptance import at_depth
from specwiki.core.counters import Absence, Series, Snapshot, SpecCounters
from specwiki.errors import MeasurementError

COUNTERS = {
    "spec_decode_num_drafts": "",
    "spec_decode_num_draft_tokens": "",
    "spec_decode_num_accepted_tokens": "",
    "spec_decode_num_accepted_tokens_per_pos": "position",
    "prompt_tokens": "",
    "generation_tokens": "",
    "prefix_cache_queries": "",
    "prefix_cache_hits": "",
    "num_preemptions": "",
    "request_success": "finished_reason",
}
"""Counters that are read, without `vllm:` and `_total`, each with the label that divides it."""
SPECULATIVE = tuple(COUNTERS)[:4]
"""Counters that a server has if, and only if, it was started with a speculative config."""
GAUGES = ("kv_cache_usage_perc", "num_requests_running", "num_requests_waiting")
RENAMED = {
    "gpu_cache_usage_perc": "kv_cache_usage_perc",
    "gpu_prefix_cache_queries": "prefix_cache_queries",
    "gpu_prefix_cache_hits": "prefix_cache_hits",
}
"""Old name to new. Both are served from 0.9.2, the old one by 0.11 only on request, by 0.12 and later never.

Source: vLLM pull requests 18354 (renames), 24245 (hides) and 29330 (removes).
"""
MAX_COUNT = 2**53
"""The server counts in floats, which tell no larger whole number from its neighbours."""

# Not prometheus_client's parser: it drops a whole text at the first bad line, and takes 1.5 s for 100,000 lines.
# Possessive quantifiers (++, *+) keep hostile lines linear.
_SAMPLE = re.compile(
    r"(?P<name>[a-zA-Z_:][\w:]*+)(?:\s*+\{(?P<labels>(?:[^\"}]++|\"(?:[^\"\\]++|\\.)*+\")*+)\}\s*+|\s++)"
    r"(?P<value>[-+]?(?:\d++\.?+\d*+|\.\d++)(?:[eE][-+]?\d++)?)(?:\s++[-+\d.eE]++)?(?:\s*+#.*+)?",
    re.ASCII,
)
_LABEL = re.compile(r'([a-zA-Z_]\w*+)\s*+=\s*+"((?:[^"\\]++|\\.)*+)"', re.ASCII)
_VLLM = "vllm:"
_USAGE = GAUGES[0]
_START = "process_start_time_seconds"
_SERVED = (*COUNTERS, *GAUGES, *RENAMED)
# Name as served to (name without suffix, what it is): one look-up a line.
_WANTED = (
    {f"{_VLLM}{name}{suffix}": (name, suffix) for name in _SERVED for suffix in ("_total", "_created")}
    | {f"{_VLLM}{name}": (name, "") for name in _SERVED if RENAMED.get(name, name) in GAUGES}
    | {_START: (_START, "")}
)
_POSITION = re.compile(r"\d{1,3}", re.ASCII)  # far above any depth; vLLM's rejection sampler is tested to 128
_EXCERPT = 120
_RERUN = "Run the block again against one server that stays up."
_AGAIN = "Take the snapshot again, straight from one server; what a proxy has joined or cut cannot be used."


@dataclass(frozen=True)
class Counters:
    """What was counted between two snapshots, by all engines together or by one.

    Attributes:
        counts: By name without `vllm:`; a name that the server does not serve is not there, which is not 0.
        accepted_per_position: Shape: (the server's deepest depth,); empty without speculation.
        request_success: Requests by finish reason.
        gauges: At the later snapshot: requests of all engines, KV usage (0 to 1) of the fullest one.
        by_engine: The same for each engine; empty inside one.
        absence: Why there is nothing at all; None if there is something.
    """

    counts: Mapping[str, int] = field(default_factory=dict)
    accepted_per_position: tuple[int, ...] = ()
    request_success: Mapping[str, int] = field(default_factory=dict)
    gauges: Mapping[str, float] = field(default_factory=dict)
    by_engine: Mapping[str, "Counters"] = field(default_factory=dict)
    absence: Absence | None = None


@dataclass
class _Reader:
    """A snapshot while its lines are read, names still as the server spells them."""

    values: dict[str, dict[Series, float]] = field(default_factory=lambda: {"_total": {}, "_created": {}, "": {}})
    seen: set[str] = field(default_factory=set)
    unreadable: list[str] = field(default_factory=list)
    absence: Absence | None = Absence.METRICS_FAILED

    def read(self, line: str) -> None:
        """Read one line; what is not ours is passed over, what is ours and makes no sense is kept as unreadable."""
        self.note_presence(line)
        wanted = _WANTED.get(line[: _name_end(line)])
        if wanted is None:
            return
        sample = _SAMPLE.fullmatch(line)
        series = _series(sample, wanted[0]) if sample else None
        if sample is None or series is None or not self.add(series, wanted[1], float(sample["value"])):
            self.unreadable.append(line[:_EXCERPT])
        elif line[: sample.start("value")] in self.seen:
            self.unreadable.append(f"twice: {line[:_EXCERPT]}")
        else:
            self.seen.add(line[: sample.start("value")])

    def note_presence(self, line: str) -> None:
        """Note that there are samples, and whether any is vLLM's own."""
        if self.absence and line.startswith(_VLLM):
            self.absence = None
        elif self.absence is Absence.METRICS_FAILED and _SAMPLE.fullmatch(line):
            self.absence = Absence.STATS_NOT_COLLECTED

    def add(self, series: Series, suffix: str, value: float) -> bool:
        """Add a sample, of whichever model the engine serves; False if no server can have meant the value."""
        known = self.values[suffix]
        if not 0 <= value <= MAX_COUNT or (suffix == "_total" and not value.is_integer()):
            return False
        summed = suffix == "_total" or series.name in GAUGES[1:]
        known[series] = known.get(series, 0) + value if summed else max(known.get(series, 0), value)
        return True


def read_snapshot(text: str) -> Snapshot:
    """Read what specwiki needs of a /metrics text. No text makes it fail; a bad one gives a snapshot that says so.

    Args:
        text: Body of an answer with status 200, in Prometheus' text format.
    """
    reader = _Reader()
    *lines, cut = text.split("\n")
    for line in lines:
        reader.read(line.strip())
    # Every line of the format ends with a line feed: a number without one may have lost its last digits.
    if cut.strip()[: _name_end(cut.strip())] in _WANTED:
        reader.unreadable.append(cut.strip()[:_EXCERPT])
    names = {series.name for values in reader.values.values() for series in values}
    totals, created, gauges = (_renamed(values, names) for values in reader.values.values())
    return Snapshot(
        counters={series: int(value) for series, value in totals.items()},
        gauges={series: value for series, value in gauges.items() if series.name != _START},
        created=created,
        started_s=gauges.get(Series(_START)),
        old_names=frozenset(old for old, new in RENAMED.items() if old in names and new not in names),
        unreadable=tuple(reader.unreadable),
        absence=reader.absence,
    )


def difference(before: Snapshot, after: Snapshot) -> Counters:
    """What was counted from one snapshot to the next.

    Raises:
        MeasurementError: If the server was restarted or replaced in between, a counter fell, appeared or vanished, or
            a line about one cannot be read. Nothing is clamped or left out.
    """
    absences = (before.absence, after.absence)
    if Absence.METRICS_FAILED in absences:
        return Counters(absence=Absence.METRICS_FAILED)
    _check_readable(before, after)
    _check_same_server(before, after)
    if absences == (Absence.STATS_NOT_COLLECTED, Absence.STATS_NOT_COLLECTED):
        return Counters(absence=Absence.STATS_NOT_COLLECTED)
    families = {(series.name, series.engine) for series in before.counters}
    counted = {series: count - _baseline(series, count, before, families) for series, count in after.counters.items()}
    by_engine: dict[str, tuple[dict[Series, int], dict[Series, float]]] = {}
    for series, count in counted.items():
        by_engine.setdefault(series.engine, ({}, {}))[0][series] = count
    for series, value in after.gauges.items():
        by_engine.setdefault(series.engine, ({}, {}))[1][series] = value
    engines = {engine: _sum(*own, {}) for engine, own in sorted(by_engine.items())}
    return _sum(counted, after.gauges, engines)


def spec_counters(
    counted: Counters | None, depth: int | None = None, completion_tokens: int | None = None
) -> SpecCounters | Absence:
    """The speculative counters of a difference, or why there are none.

    Args:
        counted: Of all engines or of one; None if /metrics did not answer at either end.
        depth: Depth of the arm, to which positions are cut; the server's deepest if None.
        completion_tokens: Tokens that clients received meanwhile, from `usage`, or None if nobody knows: tells a server
            whose counters stand still from a drafter that did not run.

    Returns:
        Counters with at least one draft; if all drafts were refused, their `absence` says so beside the 0.

    Raises:
        MeasurementError: If the counters are incomplete, or no drafter can have produced them.
    """
    if counted is None:
        return Absence.METRICS_FAILED
    missing = [name for name in SPECULATIVE if name not in counted.counts]
    if counted.absence or len(missing) == len(SPECULATIVE):
        return counted.absence or Absence.SPECULATION_OFF
    if missing:
        hint = "Measure vLLM 0.9.2 or later; older engines count otherwise."
        raise _error(f"vllm:{missing[0]}_total is absent, expected beside the other spec_decode counters", hint)
    drafts, drafted, accepted, _ = (counted.counts[name] for name in SPECULATIVE)
    if drafts == 0:
        stands_still = bool(completion_tokens) and not counted.counts.get("generation_tokens")
        return Absence.STATS_NOT_COLLECTED if stands_still else Absence.DRAFTER_DID_NOT_RUN
    counters = SpecCounters(drafts, drafted, accepted, counted.accepted_per_position)
    return counters if depth is None else at_depth(counters, depth)


def _name_end(line: str) -> int:
    ends = [end for end in (line.find("{"), line.find(" "), line.find("\t")) if end >= 0]
    return min(ends, default=len(line))


def _series(sample: re.Match[str], name: str) -> Series | None:
    labels = dict(_LABEL.findall(sample["labels"] or ""))
    label = COUNTERS.get(name)
    part = labels.get(label, "") if label else ""
    if label == "position":
        if not _POSITION.fullmatch(part):
            return None
        part = str(int(part))
    return Series(name, labels.get("engine", ""), part)


def _renamed(values: Mapping[Series, float], names: AbstractSet[str]) -> dict[Series, float]:
    """Values under their present names; where a server serves both spellings the present one counts, never both."""
    return {
        s._replace(name=RENAMED.get(s.name, s.name)): v for s, v in values.items() if RENAMED.get(s.name) not in names
    }


def _check_readable(before: Snapshot, after: Snapshot) -> None:
    for which, snapshot in (("earlier", before), ("later", after)):
        if snapshot.unreadable:
            line, more = snapshot.unreadable[0], len(snapshot.unreadable) - 1
            raise _error(
                f"the {which} snapshot has '{line}' and {more} more such lines, expected one count each", _AGAIN
            )


def _check_same_server(before: Snapshot, after: Snapshot) -> None:
    if None not in (before.started_s, after.started_s) and before.started_s != after.started_s:
        raise _error(f"{_START} went from {before.started_s} to {after.started_s}, expected one server", _RERUN)
    for name in sorted(before.old_names ^ after.old_names):
        raise _error(f"vllm:{name} is in one snapshot and vllm:{RENAMED[name]} in the other, expected one vLLM", _RERUN)
    for series in sorted(before.created.keys() & after.created.keys()):
        began, begins = before.created[series], after.created[series]
        if began != begins:
            raise _error(f"{series} was created at {began} and again at {begins}, expected one server", _RERUN)
    for series, count in before.counters.items():
        if series not in after.counters:
            raise _error(f"{series} was {count} and is gone, expected it to stay", _RERUN)


def _baseline(series: Series, count: int, before: Snapshot, families: AbstractSet[tuple[str, str]]) -> int:
    """Earlier count; 0 for a label that is new under a counter that the engine had already."""
    earlier = before.counters.get(series)
    if earlier is None and (series.name, series.engine) not in families:
        raise _error(f"{series} is {count} and was not there before, expected it in both snapshots", _RERUN)
    if earlier is not None and count < earlier:
        raise _error(f"{series} fell from {earlier} to {count}, expected a count that never falls", _RERUN)
    return earlier or 0


def _sum(counted: Mapping[Series, int], gauges: Mapping[Series, float], by_engine: Mapping[str, Counters]) -> Counters:
    counts: Counter[str] = Counter()
    parts: dict[str, Counter[str]] = {label: Counter() for label in COUNTERS.values()}
    for series, count in counted.items():
        counts[series.name] += count
        parts[COUNTERS[series.name]][series.part] += count
    held: dict[str, float] = {}
    for (name, _, _), value in gauges.items():
        held[name] = max(held.get(name, 0), value) if name == _USAGE else held.get(name, 0) + value
    depth = max((int(position) + 1 for position in parts["position"]), default=0)
    accepted = tuple(parts["position"][str(position)] for position in range(depth))
    return Counters(dict(counts), accepted, dict(parts["finished_reason"]), held, by_engine)


def _error(what: str, hint: str) -> MeasurementError:
    return MeasurementError("/metrics", what, hint)
