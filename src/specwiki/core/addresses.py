"""Where the two languages of a site stand: below one address, each in a folder of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from specwiki.errors import InputError, SpecwikiError, raise_all
from specwiki.units import LANGS, Lang


@dataclass(frozen=True)
class Addresses:
    """Of a site.

    Attributes:
        above: What both languages are in; ends with a slash; only a path where nobody said on which host.
    """

    above: str = "/"

    def of(self, lang: Lang) -> str:
        """Address of a language's root; ends with a slash."""
        return f"{self.above}{lang}/"

    @property
    def host(self) -> str:
        """Host, with its port where it has one; empty where nobody said."""
        return urlsplit(self.above).netloc

    @property
    def path(self) -> str:
        """What both languages are in, without the host: `/`, or `/wiki/`."""
        return urlsplit(self.above).path


def variable(lang: Lang) -> str:
    """Name of the environment variable that says where a language will stand."""
    return f"SPECWIKI_SITE_{lang.upper()}"


def addresses_in(variables: Mapping[str, str]) -> Addresses:
    """Read where the site will stand from the environment; `/en/` and `/vi/` of some host where it does not say.

    Args:
        variables: As in `os.environ`.

    Raises:
        InputError: For each language whose address is not given, or is none; if the two are not in one folder.
    """
    given = {lang: variables.get(variable(lang), "") for lang in LANGS}
    if not any(given.values()):
        return Addresses()
    wrong = {lang: _wrong(address, lang) for lang, address in given.items()}
    raise_all(
        [
            InputError(variable(lang), f"'{given[lang]}' {what}, expected something like https://example.org/wiki/{lang}/",
                       "Set both variables, or none")
            for lang, what in wrong.items() if what
        ]
    )  # fmt: skip
    above = {lang: address.removesuffix(f"{lang}/") for lang, address in given.items()}
    if len(set(above.values())) > 1:
        problem: SpecwikiError = InputError(
            variable("vi"), f"'{given['vi']}' is not beside '{given['en']}', expected '{above['en']}vi/'",
            "Put both languages into one folder",
        )  # fmt: skip
        raise problem
    return Addresses(above["en"])


def _wrong(address: str, lang: Lang) -> str | None:
    """What is wrong with an address; None: nothing."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return "cannot be read as an address"
    if parts.scheme not in {"http", "https"} or not parts.netloc:
        return "has no host" if address else "is empty while the other language has an address"
    if parts.query or parts.fragment or not address.isprintable() or set(address) & set("\"'<> "):
        return "has more in it than an address of a folder"
    return None if parts.path.endswith(f"/{lang}/") else f"does not end with /{lang}/"
