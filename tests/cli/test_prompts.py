"""`specwiki prompts import`: what is written where, and what is said of it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from specwiki.study.project import find_layout, load_experiment, load_prompt_set

ROOT = Path(__file__).parents[2]


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project with what an experiment needs, as the working folder, and a store outside of it."""
    folder = tmp_path / "project"
    for name in ("experiments", "profiles", "data/prompts"):
        shutil.copytree(ROOT / name, folder / name)
    shutil.copy(ROOT / "mkdocs.yml", folder / "mkdocs.yml")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("SPECWIKI_DATA", str(tmp_path / "store" / "data"))
    return folder


@pytest.fixture
def chats(project):
    """Two prompts, one of them twice, and one row that is none."""
    turns = [[{"from": "human", "value": text}] for text in ("one", "two", "one", "")]
    (project / "chats.json").write_text(json.dumps([{"conversations": one} for one in turns]))
    return "chats.json"


def test_an_import_can_be_measured(project, command, chats, tmp_path):
    """The set is in this machine's store, no tracked file changes, and an experiment finds it by its name."""
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}
    code, out, err = command("prompts", "import", chats, "--out", "mine")

    assert code == 0
    assert out.startswith("read as sharegpt, rows: 4, taken: 2, refused: 2\nprompt set: ")
    assert out.endswith(
        'to measure with it: prompt_set = "mine" and strata = ["traffic"] in an experiment\'s plan.toml\n'
    )
    assert err == (
        "refused: chats.json: row 3: the prompt is 'one', expected another text: row 1 has the same\n"
        "refused: chats.json: row 4: the prompt is '', expected text that is not blank\n"
    )
    assert (tmp_path / "store" / "data" / "prompts" / "mine.toml").is_file()
    assert {path: path.read_bytes() for path in project.rglob("*") if path.is_file()} == before

    plan = project / "experiments" / "depth" / "plan.toml"
    strata = 'strata = ["chat", "code", "explaining", "copy-heavy"]'
    plan.write_text(plan.read_text().replace('"written"', '"mine"').replace(strata, 'strata = ["traffic"]'))
    experiment = load_experiment(find_layout(project), "depth", "laptop", "quick")
    assert [one.text for one in experiment.groups["pooled"]] == ["one", "two"]
    assert list(experiment.groups) == ["pooled", "synthetic"]


def test_an_import_as_json(command, chats):
    """Counts and every refused row as data, and nothing beside it; texts that were taken are not in it."""
    code, out, err = command("prompts", "import", chats, "--out", "mine", "--json", "--kind", "written", "--lang", "vi")
    said = json.loads(out)

    assert (code, err) == (0, "")
    assert (said["rows"], said["accepted"], said["format"]) == (4, 2, "sharegpt")
    assert said["refused"][1] == {
        "row": 4, "place": "the prompt", "value": "''", "expected": "text that is not blank",
    }  # fmt: skip
    assert "two" not in out


def test_nothing_is_written_when_nothing_is_a_prompt(command, project, tmp_path):
    """Every row is an error with exit code 2."""
    (project / "bad.json").write_text('["a", "b"]')
    code, out, err = command("prompts", "import", "bad.json", "--out", "mine")

    assert (code, out) == (2, "")
    assert "error: bad.json: row 2: row is 'b', expected an object with 'conversations'. Correct or remove" in err
    assert "error: bad.json: read as sharegpt, none of its 2 rows is a prompt; nothing was written. Correct" in err
    assert err.endswith("error: 3 problems\n")
    assert not (tmp_path / "store").exists()


def test_a_log_without_texts_says_how_to_log_them(command, project):
    """A log at level INFO has no prompt in it; the error says which log has."""
    (project / "server.log").write_text("INFO 11-30 04:11:53 [a.py:1] Avg prompt throughput: 0.8 tokens/s\n")
    code, _, err = command("prompts", "import", "server.log", "--out", "mine")

    assert code == 2
    assert "none of its 0 rows is a prompt; no rows: other lines (1); nothing was written. Log requests with" in err
    assert err.endswith("--enable-log-requests at log level DEBUG.\n")


def test_a_set_is_never_changed(command, project, chats, tmp_path):
    """The same import again is fine; another one under the same name is refused, and so is a published name."""
    assert command("prompts", "import", chats, "--out", "mine")[0] == 0
    written = (tmp_path / "store" / "data" / "prompts" / "mine.toml").read_bytes()
    assert command("prompts", "import", chats, "--out", "mine")[0] == 0
    (project / "other.txt").write_text("three")
    code, _, err = command("prompts", "import", "other.txt", "--out", "mine")

    assert code == 2
    assert "mine.toml: another prompt set is there, expected a new name. Change --out, or remove the file." in err
    assert (tmp_path / "store" / "data" / "prompts" / "mine.toml").read_bytes() == written
    assert command("prompts", "import", chats, "--out", "written")[2] == (
        "error: --out: 'written' is a published set, expected a new name. Choose another name.\n"
    )


def test_a_file_outside_any_project(command, tmp_path, monkeypatch):
    """With the path of a .toml file no project is needed."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.txt").write_text("one\n\ntwo\nlines")
    code, out, _ = command("prompts", "import", "p.txt", "--out", "sets/mine.toml")

    assert code == 0
    assert "prompt set: sets/mine.toml\n" in out
    assert "two\\nlines" in (tmp_path / "sets" / "mine.toml").read_text()
    assert "it is not in a specwiki project" in command("prompts", "import", "p.txt", "--out", "mine")[2]


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("none.json", "--out", "mine"), "error: none.json: there is no such file. Name a file with prompts."),
        ((".", "--out", "mine"), "error: .: it is a folder, expected a file."),
        (("mkdocs.yml", "--out", "My Set"), "error: --out: 'My Set' is no name, expected 1 to 41 lower-case letters"),
        (("mkdocs.yml", "--out", "../x"), "error: --out: '../x' is no name"),
        (("mkdocs.yml", "--out", "mine", "--kind", "odd"), "'odd' is not one of 'traffic', 'written', 'synthetic'"),
        (("mkdocs.yml", "--out", "mine", "--format", "csv"), "'csv' is not one of 'sharegpt'"),
        (("mkdocs.yml", "--out", "mine", "--lang", "fr"), "'fr' is not one of 'en', 'vi'"),
        (("mkdocs.yml",), "Missing option '--out'"),
    ],
)
def test_wrong_words(command, words, said):
    """Each wrong call says what came and what was expected, with exit code 2."""
    code, _, err = command("prompts", "import", *words)

    assert code == 2
    assert said in err


def test_a_published_set_comes_first(project, tmp_path):
    """A set that lies in both stores under one name is the published one; an unknown one lists both stores' names."""
    layout = find_layout(project)
    for name in ("written", "mine"):
        path = tmp_path / "store" / "data" / "prompts" / f"{name}.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text((project / "data" / "prompts" / "written.toml").read_text().replace("chat-01", "local-01"))

    assert load_prompt_set(layout, "written").prompts[0].id == "chat-01"
    assert load_prompt_set(layout, "mine").prompts[0].id == "local-01"
    with pytest.raises(
        Exception, match=r"prompt set 'mien'.*expected one of \['mine', 'nato', 'written'\]. Did you mean 'mine'"
    ):
        load_prompt_set(layout, "mien")


def test_a_wrong_set_in_the_local_store(project, tmp_path):
    """It is named by its path, though it lies outside of the project."""
    path = tmp_path / "store" / "data" / "prompts" / "mine.toml"
    path.parent.mkdir(parents=True)
    path.write_text('id = "mine"\n')

    with pytest.raises(Exception, match=f"{path}: kind: field required"):
        load_prompt_set(find_layout(project), "mine")


def test_the_group_and_its_command_have_help(command):
    """`--help` of both shows how they are used."""
    assert "import" in command("prompts", "--help")[1]
    assert "specwiki prompts import" in command("prompts", "import", "--help")[1].split("Example:")[1]
