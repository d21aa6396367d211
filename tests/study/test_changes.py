"""The published results of a project against those of its commits, in a real git repository."""

from __future__ import annotations

import os
import subprocess
import tempfile

import pytest

from specwiki.core.result import Value
from specwiki.errors import InputError, SpecwikiError
from specwiki.study.changes import changes
from specwiki.study.translation import ALL, record


@pytest.fixture
def commit(project):
    """Commits everything in the project; gives the commit's hash."""

    def run(*words):
        who = {f"GIT_{role}_{part}": "x@example.org" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
        done = subprocess.run(["git", *words], cwd=project.root, env=os.environ | who, capture_output=True, check=True)
        return done.stdout.decode().strip()

    def committing():
        run("add", ".")
        run("commit", "-q", "--allow-empty", "-m", "x")
        return run("rev-parse", "HEAD")

    run("init", "-q")
    return committing


@pytest.fixture
def published(project, add, make_result, commit):
    """A committed result, with everything recorded as translated."""
    result = make_result()
    add(project.published, result)
    record(project, None, [ALL])
    commit()
    return result


def better(make_result, **more):
    """A later result, in which depth 4 pays."""
    result = make_result(run_id="r0002", best="depth", gain=1.2, **more)
    tokens = Value(number=1.6, low=1.5, high=1.7, unit="tokens", n=24)
    return result.model_copy(update={"values": result.values | {"tokens_per_step.c1.d4": tokens}})


def test_a_clean_work_tree_is_the_same(project, published):
    """Each key is named as such."""
    report = changes(project)

    assert (report.sections, report.touched) == ((), ())
    assert report.same == ((published.profile, published.machine, "depth"),)


def test_what_is_not_committed_against_what_is(project, add, make_result, published):
    """Old and new result, what they decide, the claims that flipped, and where pages print them."""
    new = better(make_result)
    add(project.published, new)
    report = changes(project)
    (section,) = report.sections

    assert (section.old, section.new) == (published, new)
    assert {one.key for one in section.outcomes} >= {"best.c1", "adopt.c1", "schedule"}
    assert ("drafting-pays", "open", "holds") in [(one.name, one.old, one.new) for one in section.verdicts]
    assert "ratio.c1.d4" in section.first
    assert "acceptance_length.c4.d8" not in section.first
    depth = {one.name: one for one in report.touched if one.page == "depth"}
    assert {"drafting-pays", "best.c1"} <= set(depth)
    for lang, lines in (("en", depth["drafting-pays"].english), ("vi", depth["drafting-pays"].vietnamese)):
        text = (project.docs / lang / "depth.md").read_text("utf-8").splitlines()
        assert lines
        assert all('claim("drafting-pays")' in text[line - 1] for line in lines)
    assert "index" in {one.page for one in report.touched}


def test_blocks_with_words_around_a_flipped_claim(project, add, make_result, published):
    """Their ids, and that the translation has to be looked at; both as `specwiki translate` says."""
    values = published.values | {"ratio.c1.d0": Value(number=1.2, low=1.1, high=1.3, unit="ratio", n=4)}
    add(project.published, make_result(run_id="r0002", values=values))
    (touched,) = changes(project).touched

    assert (touched.page, touched.name, touched.blocks, touched.outdated) == (
        "depth", "depth-zero-costs", ("what-3",), ("what-3",),
    )  # fmt: skip
    record(project, "depth", ["what-3"])
    (touched,) = changes(project).touched
    assert (touched.blocks, touched.outdated) == (("what-3",), ())


def test_an_earlier_commit_and_a_range(project, add, make_result, commit, published):
    """By any name of git; a range compares its ends, whatever the work tree has."""
    add(project.published, better(make_result))
    commit()
    add(project.published, make_result(run_id="r0003", as_of=published.as_of.replace(day=29)))

    def runs(since):
        return [(one.old.run_id, one.new.run_id) for one in changes(project, since=since).sections]

    assert runs("HEAD") == [("r0002", "r0003")]
    assert runs("HEAD~1") == [("r0001", "r0003")]
    assert runs("HEAD~1..HEAD") == runs("HEAD~1..") == [("r0001", "r0002")]
    assert runs("HEAD..HEAD") == []


@pytest.mark.usefixtures("published")
def test_of_one_experiment(project, add, make_result):
    """Others are left out, their pages too."""
    add(project.published, better(make_result))
    add(project.published, better(make_result, experiment="synthetic"))

    report = changes(project, "synthetic")
    assert [one.key[2] for one in report.sections] == ["synthetic"]
    assert {one.page for one in report.touched} == {"synthetic"}
    assert [one.key[2] for one in changes(project).sections] == ["depth", "synthetic"]


def test_a_withdrawn_result(project, published):
    """The key has no result any more."""
    file = project.published.result_file(published)
    file.write_text(file.read_text("utf-8").replace('"withdrawn": null', '"withdrawn": "noise"'), "utf-8")
    (section,) = changes(project).sections

    assert (section.old, section.new, section.values) == (published, None, ())
    assert ("drafting-pays", "open", None) in [(one.name, one.old, one.new) for one in section.verdicts]


def test_another_machine_leads_the_pages(project, add, make_result, published):
    """Its key is new, and pages that lead with it say something else."""
    add(project.published, better(make_result, machine="other", as_of=published.as_of.replace(day=29)))
    report = changes(project)

    assert [(one.key[1], one.old) for one in report.sections] == [("other", None)]
    assert [key[1] for key in report.same] == [published.machine]
    assert "drafting-pays" in {one.name for one in report.touched}


def test_a_profile_that_pages_show_by_name(project, add, make_result, commit):
    """Its verdicts count for the page as well, though it never leads."""
    for lang in ("en", "vi"):
        path = project.docs / lang / "depth.md"
        text = path.read_text("utf-8").replace("profiles: laptop-eagle\n", "profiles: laptop-eagle, other\n", 1)
        path.write_text(text + '\n@{{ of("other").claim("drafting-pays") }}\n', "utf-8")
    add(project.published, make_result())
    add(project.published, make_result(profile="other"))
    commit()
    add(project.published, better(make_result, profile="other"))

    report = changes(project)
    assert [one.key[0] for one in report.sections] == ["other"]
    assert ("depth", "other:drafting-pays") in {(one.page, one.name) for one in report.touched}
    assert "drafting-pays" not in {one.name for one in report.touched}


def test_a_broken_file_on_either_side_is_named(project, published, commit):
    """With its place: in the commit, or in the work tree."""
    file = project.published.result_file(published)
    good = file.read_text("utf-8")
    file.write_text(good.replace('"effort": "full"', '"effort": "much"').replace('"n": 4', '"n": 0'), "utf-8")
    broken = commit()
    file.write_text(good, "utf-8")

    for since in ("HEAD", "HEAD..HEAD"):
        with pytest.raises(SpecwikiError) as caught:
            changes(project, since=since)
        problems = getattr(caught.value, "problems", [caught.value])
        assert len(problems) > 1
        for problem in problems:
            assert str(problem).startswith(f"{broken[:12]}:data/results/laptop/")
            assert tempfile.gettempdir() not in str(problem)
            assert "Compare with a commit whose files can be read." in str(problem)
    file.write_text("{", "utf-8")
    with pytest.raises(SpecwikiError, match="is not JSON"):
        changes(project, since="HEAD~1")


def test_a_project_without_results(project, commit):
    """Neither here nor then."""
    commit()

    with pytest.raises(InputError, match=r"there is no published result, and there was none then\. Run 'specwiki pub"):
        changes(project)


@pytest.mark.parametrize(
    ("experiment", "since", "says"),
    [
        ("dept", "HEAD", "experiment 'dept': it has no published result, and had none then. Did you mean 'depth'?"),
        (None, "nope", "commit 'nope': git knows no commit of that name. "),
        (None, "nope..HEAD", "commit 'nope': git knows no commit of that name. "),
        (None, "HEAD..nope", "commit 'nope': git knows no commit of that name. "),
        (None, "A...B", "--since: 'A...B' has three dots, expected a commit, or A..B. Name both ends as A..B."),
    ],
)
@pytest.mark.usefixtures("published")
def test_wrong_words(project, experiment, since, says):
    """Exit code 2, with the nearest name."""
    with pytest.raises(InputError) as caught:
        changes(project, experiment, since)

    assert str(caught.value).startswith(says)


def test_outside_a_repository(project, add, make_result):
    """There is nothing to compare with."""
    add(project.published, make_result())

    with pytest.raises(InputError, match="it is in no git repository"):
        changes(project)
