"""The commands that need no wiki."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from specwiki.errors import InputError
from specwiki.study.tools import seconds_of

SERIES = 'model_name="m",engine="{engine}"'


@pytest.fixture(autouse=True)
def _outside_any_project(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)


def metrics(drafts, depth, positions, engines=("0",), tokens=1000):
    """A text of these counts in each engine; the first one also served `tokens`."""
    lines = []
    for engine in engines:
        labels = SERIES.format(engine=engine)
        counts = {"num_drafts": drafts, "num_draft_tokens": drafts * depth, "num_accepted_tokens": sum(positions)}
        lines += [f"vllm:spec_decode_{name}_total{{{labels}}} {count}" for name, count in counts.items()]
        lines += [
            f'vllm:spec_decode_num_accepted_tokens_per_pos_total{{{labels},position="{i}"}} {count}'
            for i, count in enumerate(positions)
        ]
        lines.append(f"vllm:generation_tokens_total{{{labels}}} {tokens}")
    return "\n".join(lines) + "\n"


@pytest.fixture
def files(tmp_path):
    """Two texts, two drafts of three accepted at the first position and one at the second in between."""
    before, after = tmp_path / "before.txt", tmp_path / "after.txt"
    before.write_text(metrics(1_000_000, 2, (600_000, 300_000)))
    after.write_text(metrics(1_000_300, 2, (600_200, 300_100), tokens=1600))
    return str(before), str(after)


def test_acceptance_of_two_files(command, files):
    """300 drafts of 2 tokens, 200 and 100 accepted: rate 0.5, length 2, conditional 0.667 and 0.5."""
    code, out, _ = command("acceptance", *files)

    assert code == 0
    assert "acceptance rate      0.500   accepted / drafted = 300 / 600" in out
    assert "acceptance length    2.000" in out
    assert "by position          0.667 0.333" in out
    assert "conditional          0.667 0.500" in out


def test_acceptance_as_json(command, files):
    """The same as JSON, with fractions and counts."""
    _, out, _ = command("acceptance", *files, "--json")
    data = json.loads(out)

    assert (data["acceptance_rate"], data["acceptance_length"], data["num_drafts"]) == (0.5, 2.0, 300)
    assert data["counts"]["generation_tokens"] == 600


def test_two_engines_are_summed_and_shown(command, tmp_path):
    """Data parallel: the sum first, then each engine."""
    for name, drafts, positions in (("a", 0, (0, 0)), ("b", 100, (50, 25))):
        (tmp_path / f"{name}.txt").write_text(metrics(drafts, 2, positions, engines=("0", "1")))
    _, out, _ = command("acceptance", "a.txt", "b.txt")

    assert "accepted / drafted = 150 / 400" in out
    assert "engine 1" in out
    assert out.count("accepted / drafted = 75 / 200") == 2


def test_a_restart_is_not_clamped(command, files):
    """Counters that fall are a restarted server: an error with both values, exit code 1."""
    code, _, err = command("acceptance", files[1], files[0])

    assert code == 1
    assert err.startswith("error: ")
    assert "1000300" in err
    assert "1000000" in err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('vllm:generation_tokens_total{engine="0"} 5\n', "speculation is off"),
        ("http_requests_total 5\n", "statistics are not collected"),
        ("<html>no metrics</html>\n", "unknown, not zero"),
        (metrics(0, 2, (0, 0)), "the drafter did not run"),
    ],
)
def test_the_kinds_of_nothing(command, tmp_path, text, said):
    """Speculation off, no statistics, no metrics and an idle drafter are four answers."""
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(text)
    code, out, _ = command("acceptance", "a.txt", "b.txt")

    assert code == 0
    assert said in out


def test_a_live_server(command):
    """An address is read twice; what was counted in between is reported."""
    texts = iter([metrics(0, 4, (0, 0, 0, 0)), metrics(10, 4, (9, 6, 3, 2))])

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(next(texts).encode())

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        code, out, _ = command("acceptance", f"http://127.0.0.1:{server.server_port}/metrics", "--for", "0.1s")
        server.shutdown()

    assert code == 0
    assert "accepted / drafted = 20 / 40" in out


def test_nobody_answers(command):
    """An address where nothing listens is exit code 3, in one line."""
    code, _, err = command("acceptance", "http://127.0.0.1:9", "--for", "1s")

    assert code == 3
    assert "error: http://127.0.0.1:9: nothing answers there" in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("acceptance", "a.txt"), "one file, 'a.txt', expected two"),
        (("acceptance", "a.txt", "b.txt"), "a.txt: there is no such file"),
        (("acceptance", "http://127.0.0.1:9", "b.txt"), "an address and the file 'b.txt'"),
        (("acceptance", "http://127.0.0.1:9", "--for", "soon"), "'soon' is no duration"),
        (("lint", "a.json"), "a.json: there is no such file"),
    ],
)
def test_wrong_words(command, words, said):
    """Each wrong call says what came and what was expected, with exit code 2."""
    code, _, err = command(*words)

    assert code == 2
    assert said in err


@pytest.mark.parametrize(("text", "seconds"), [("60s", 60), ("5m", 300), ("1h", 3600), ("90", 90), ("0.5s", 0.5)])
def test_durations(text, seconds):
    """Seconds, minutes, hours, or a bare number of seconds."""
    assert seconds_of(text) == seconds


@pytest.mark.parametrize("text", ["", "s", "-1s", "0", "nan", "inf", "1d"])
def test_wrong_durations(text):
    """Nothing that is not a time above zero."""
    with pytest.raises(InputError, match="is no duration"):
        seconds_of(text)


def test_lint_of_a_config(command, tmp_path):
    """Every finding on a line of its own, a count, and exit code 1 for errors."""
    config = {"method": "suffix", "num_speculative_tokens": 8, "num_speculative_tokens_per_batch_size": [[2, 4, 8]]}
    (tmp_path / "spec.json").write_text(json.dumps(config))
    code, out, _ = command("lint", "spec.json")

    assert code == 1
    assert "it starts at batch size 2, expected 1. Start at 1." in out
    assert "method 'suffix' asserts one fixed depth" in out
    assert out.endswith("2 errors, 0 warnings\n")


def test_lint_of_a_good_config(command, tmp_path):
    """Nothing wrong: exit code 0."""
    (tmp_path / "spec.json").write_text('{"method": "mtp", "num_speculative_tokens": 2}')

    assert command("lint", "spec.json")[:2] == (0, "0 errors, 0 warnings\n")


def test_lint_of_no_json(command, tmp_path):
    """A file that is not JSON, or no object, is wrong input."""
    (tmp_path / "spec.json").write_text('{"method": ')
    assert "spec.json: it is not JSON" in command("lint", "spec.json")[2]
    (tmp_path / "spec.json").write_text("[1]")
    assert "it holds list, expected an object" in command("lint", "spec.json")[2]


def test_lint_of_a_profile(command, tmp_path):
    """A profile's drafter options are looked at as the config that they become."""
    text = (
        'name = "p"\nway = "local"\n[target]\nname = "m"\nmodel = "m"\n'
        '[drafter]\nname = "n"\nmethod = "ngram"\nscheduler = "DepthScheduler"\n'
        "options = { prompt_lookup_min = 5, prompt_lookup_max = 4, promt = 1 }\n"
    )
    (tmp_path / "p.toml").write_text(text)
    code, out, _ = command("lint", "p.toml")

    assert code == 1
    assert "above prompt_lookup_max 4" in out
    assert "error: promt: vLLM 0.32 does not know this key" in out


def test_lint_of_a_benchmark(command, tmp_path):
    """A result of `vllm bench serve` is looked at for numbers that cannot be."""
    (tmp_path / "bench.json").write_text('{"output_throughput": 700, "max_output_tokens_per_s": 300}')
    code, out, _ = command("lint", "bench.json")

    assert code == 1
    assert "error: peak below mean: peak 300 tok/s is below the mean 700" in out


def bench(folder, *throughputs):
    folder.mkdir()
    for i, one in enumerate(throughputs):
        (folder / f"{i}.json").write_text(json.dumps({"model_id": "m", "output_throughput": one}))


def test_compare_of_benchmarks(command, tmp_path):
    """Two folders of runs give one ratio with its interval."""
    bench(tmp_path / "a", 199, 200, 201)
    bench(tmp_path / "b", 219, 220, 221)
    code, out, _ = command("compare", "a", "b")

    assert code == 0
    assert out.startswith("output_throughput: B is 1.100 of A (95 % 1.0")
    assert out.endswith("faster\n")


def test_compare_of_results(command, tmp_path, make_result):
    """Two results of one plan are compared value by value."""
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_text(make_result().model_dump_json())
    code, out, _ = command("compare", "a.json", "b.json", "--json")

    assert code == 0
    assert all(one["verdict"] == "no difference seen" for one in json.loads(out))


@pytest.mark.parametrize(
    ("content", "code", "said"),
    [
        ("{}", 2, "b.json: it is no result"),
        ('{"measured_under": {}}', 2, "one is of specwiki and the other of vllm bench serve"),
        ('{"output_throughput": 5, "model_id": "n"}', 1, "they cannot be compared: model_id is m and n"),
    ],
)
def test_compare_refuses(command, tmp_path, content, code, said):
    """What is no result, of another kind, or of another workload is refused with the reason."""
    (tmp_path / "a.json").write_text('{"output_throughput": 5, "model_id": "m"}')
    (tmp_path / "b.json").write_text(content)
    found = command("compare", "a.json", "b.json")

    assert found[0] == code
    assert said in found[2]
