"""What is searched for in each tree: the patterns whose answers must equal ripgrep's, and the few that are timed."""

from __future__ import annotations

from dataclasses import dataclass

from rootle.bench.queries import Query

__all__ = ["NONE", "Words", "compared", "timed", "words_of"]


@dataclass(frozen=True, slots=True)
class Words:
    """What is written in one tree: a rare and a common word, line starts and ends, families of names, ten words."""

    rare: str
    common: str
    start: str
    end: str
    family: str
    member: str
    fixed: str
    word: str
    multiline: str
    ten: tuple[str, ...]
    glob: str


_PYTHON = {
    "start": r"^from \w+ import",
    "end": r"self\):$",
    "fixed": "**kwargs)",
    "word": "None",
    "multiline": r"def \w+\([^)]*\n[^)]*\):",
    "glob": "**/*.py",
}

_WORDS = {
    "flask": Words(
        rare="url_for",
        common="self",
        family=r"[A-Z]\w+Interface",
        member=r"_\w+_context\b",
        ten=(
            "teardown",
            "blueprint",
            "jsonify",
            "session",
            "dispatch",
            "endpoint",
            "werkzeug",
            "signal",
            "cookie",
            "stream",
        ),
        **_PYTHON,
    ),
    "django": Words(
        rare="EmptyResultSet",
        common="return",
        family=r"[A-Z]\w+Serializer",
        member=r"get_\w+_display",
        ten=(
            "prefetch",
            "annotate",
            "savepoint",
            "middleware",
            "querydict",
            "geometry",
            "formset",
            "paginator",
            "gettext",
            "sitemap",
        ),
        **_PYTHON,
    ),
    "homeassistant": Words(
        rare="async_forward_entry_unload",
        common="return",
        family=r"[A-Z]\w+CoordinatorEntity",
        member=r"async_\w+_platforms",
        ten=(
            "thermostat",
            "zigbee",
            "bluetooth",
            "webhook",
            "voltage",
            "barometer",
            "doorbell",
            "vacuum",
            "sprinkler",
            "tariff",
        ),
        **_PYTHON,
    ),
    "linux": Words(
        rare="PM_RESUME",
        common="EXPORT_SYMBOL_GPL",
        start=r"^module_init",
        end=r"\) \|\|$",
        family=r"[A-Z]+_SUSPEND\b",
        member=r"devm_\w+_register\(",
        fixed="->lock);",
        word="spinlock_t",
        multiline=r"return -ENOMEM;\n\n\tspin_lock",
        ten=(
            "hugepage",
            "rcu_barrier",
            "kthread_park",
            "dma_fence",
            "cpufreq",
            "netlink",
            "cgroup",
            "thermal",
            "watchdog",
            "iommu",
        ),
        glob="**/*.c",
    ),
}

NONE = "quozzle_vextrim"


def words_of(tree: str) -> Words:
    """Give the words of a tree."""
    return _WORDS[tree]


def compared(tree: str) -> list[Query]:
    """Give the patterns whose answers are compared, of every kind that people write."""
    words = _WORDS[tree]
    ten = "|".join(words.ten)
    return [
        Query("literal rare", words.rare),
        Query("literal common", words.common),
        Query("literal none", NONE),
        Query("literal non-ASCII", "é"),
        Query("fixed with metacharacters", words.fixed, fixed=True),
        Query("fixed ignoring case", words.rare.upper(), fixed=True, ignore_case=True),
        Query("rare ignoring case", words.rare.lower(), ignore_case=True),
        Query("inline flag", "(?i)todo|fixme"),
        Query("Unicode ignoring case", "straße|kelvin", ignore_case=True),
        Query("word", words.word, word=True),
        Query("word ignoring case", words.ten[0], word=True, ignore_case=True),
        Query("ten words", ten),
        Query("ten words ignoring case", ten, ignore_case=True),
        Query("class and literal", words.family),
        Query("literal and class", words.member),
        Query("hexadecimal", r"0x[0-9a-fA-F]{8}\b"),
        Query("line start", words.start),
        Query("line end", words.end),
        Query("whole line", r"^\s*return \w+;?$"),
        Query("word boundaries", r"\b[a-z]{2}\d{3}\b"),
        Query("Greek", r"\p{Greek}+"),
        Query("capital then small", r"\b\p{Lu}\p{Ll}{14,}\b"),
        Query("not ASCII", r"[^\x00-\x7F]{2}"),
        Query("no literal", r"\w{5}\s+\w{5}\s+\w{5}\s+\w{5}"),
        Query("repetition", r"(ab|cd|ef){2,}"),
        Query("lazy", r"\(.{40}?\) \w+$"),
        Query("multiline", words.multiline, multiline=True),
        Query("multiline class", r"\{[\s;]*\n[^\S\n]*\}", multiline=True),
    ]


def timed(tree: str) -> list[Query]:
    """Give the patterns that are timed, one a class."""
    words = _WORDS[tree]
    return [
        Query("rare", words.rare),
        Query("common", words.common),
        Query("none", NONE),
        Query("ignore case", words.rare.lower(), ignore_case=True),
        Query("class", words.family),
        Query("ten words", "|".join(words.ten)),
    ]
