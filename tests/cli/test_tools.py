"""The commands that need no wiki."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from specwiki.core.lint import SCHEDULE
from specwiki.errors import InputError
from specwiki.study import tools
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


def test_c17_both_denominators_are_named(command, files, tmp_path):
    """Case C17: accepted per drafted and per tested token stand side by side; unknown where drafts were short."""
    _, out, _ = command("acceptance", *files)
    assert "acceptance rate      0.500   accepted / drafted = 300 / 600" in out
    assert "of tested tokens   0.600   accepted / tested = 300 / 500" in out

    (tmp_path / "short.txt").write_text(metrics(1_000_300, 2, (600_200, 300_100)).replace("2000600", "2000500"))
    _, out, _ = command("acceptance", files[0], "short.txt")
    assert "accepted / tested is unknown: some drafts were shorter than the depth" in out


def test_drafts_that_differ_have_a_second_model(command, tmp_path):
    """Conditional rates that rise reject one acceptance for all, and a spread over drafts takes its place."""
    (tmp_path / "a.txt").write_text(metrics(0, 3, (0, 0, 0)))
    (tmp_path / "b.txt").write_text(metrics(10_000, 3, (6000, 4100, 3000)))
    _, out, _ = command("acceptance", "a.txt", "b.txt")
    _, as_json, _ = command("acceptance", "a.txt", "b.txt", "--json")

    assert "one acceptance for all positions does not hold" in out
    assert "beta-geometric       a = 0.60" in out
    assert json.loads(as_json)["geometric"]["beta"]["spread"] > 0.1


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


@pytest.fixture
def server():
    """A server whose `/metrics` is a function of how often it was asked."""
    texts = {}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            texts["asked"] = texts.get("asked", 0) + 1
            self.send_response(200)
            self.end_headers()
            self.wfile.write(texts["answer"](texts["asked"]).encode())

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_port}", texts
        running.shutdown()


def at_load(running):
    return f'vllm:num_requests_running{{model_name="m",engine="0"}} {running}.0\n'


def test_c26_a_load_that_straddles_the_schedule(server):
    """Case C26: 4 and 5 running requests in turn lie on both sides of an edge; the report says where they do not."""
    url, texts = server
    texts["answer"] = lambda asked: metrics(10 * asked, 2, (6 * asked, 3 * asked)) + at_load(4 + asked % 2)
    slept = []
    report = tools.acceptance_of_server(url, 30, [(1, 4, 2), (5, 512, 0)], sleep=slept.append)

    assert slept == [1.0] * 30
    assert (
        "warning: schedule edge between 4 and 5 running requests (depth 2 to 0): crossed 30 times in 31"
        in report.text()
    )
    assert report.as_dict()["schedule_edges"][0]["switches"] == 30
    assert report.total.num_drafts == 300


@pytest.mark.parametrize(
    ("load", "seconds", "said"), [(2, 30, "stayed clear of them"), (2, 3, "not judged, fewer than 20")]
)
def test_a_load_clear_of_the_schedule(server, load, seconds, said):
    """A load on one side is said to be clear; a short look is said to be too short."""
    url, texts = server
    texts["answer"] = lambda asked: metrics(10 * asked, 2, (6 * asked, 3 * asked)) + at_load(load)
    report = tools.acceptance_of_server(url, seconds, [(1, 4, 2), (5, 512, 0)], sleep=lambda _: None)

    assert said in report.text()


def test_a_schedule_from_a_config(command, server, tmp_path):
    """The command reads the tiers from the server's speculative config."""
    url, texts = server
    texts["answer"] = lambda asked: metrics(10 * asked, 2, (6 * asked, 3 * asked)) + at_load(3)
    config = {"method": "ngram", "num_speculative_tokens": 2, SCHEDULE: [[1, 4, 2], [5, 512, 0]]}
    (tmp_path / "spec.json").write_text(json.dumps(config))
    code, out, _ = command("acceptance", url, "--for", "0.1s", "--config", "spec.json")

    assert code == 0
    assert "schedule edges: not judged" in out


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"num_speculative_tokens": 2}, f"spec.json: there is no {SCHEDULE}, expected a schedule"),
        ({"num_speculative_tokens": 2, SCHEDULE: [[2, 4, 1]]}, "it starts at batch size 2, expected 1"),
    ],
)
def test_a_config_without_a_usable_schedule(command, tmp_path, config, said):
    """No schedule, or one that vLLM refuses, is wrong input; so is a config beside two files."""
    (tmp_path / "spec.json").write_text(json.dumps(config))
    code, _, err = command("acceptance", "http://127.0.0.1:9", "--config", "spec.json")
    assert (code, said in err) == (2, True)

    code, _, err = command("acceptance", "a.txt", "b.txt", "--config", "spec.json")
    assert (code, "'spec.json' with files, which hold no load in between" in err) == (2, True)


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
        '[drafter]\nslug = "n"\nname = "n"\nmethod = "ngram"\nscheduler = "DepthScheduler"\n'
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


def test_lint_of_an_analysis_script(command, tmp_path):
    """Case C41: rows whose acceptance is made of their speed-up are refused, each by itself."""
    rows = [{"gamma": 0, "acceptance_rate": 1.0, "speedup_vs_baseline": 1.0},
            {"gamma": 4, "acceptance_rate": 0.2, "speedup_vs_baseline": 1.8}]  # fmt: skip
    (tmp_path / "rows.json").write_text(json.dumps(rows))
    code, out, _ = command("lint", "rows.json")

    assert code == 1
    assert "error: acceptance from a speed-up: 0.2 is (1.8 - 1) / 4" in out
    assert out.endswith("1 errors, 0 warnings\n")


def test_lint_of_a_saved_stream(command, tmp_path):
    """Case C14: a saved stream without usage has no count of tokens; a whole answer with usage has."""
    (tmp_path / "answer.sse").write_text('data: {"choices": [{"delta": {"content": "wo"}}]}\n\ndata: [DONE]\n')
    code, out, _ = command("lint", "answer.sse")
    assert code == 1
    assert "error: usage: no completion_tokens, and 1 pieces of text are no count of tokens" in out

    (tmp_path / "answer.json").write_text('{"choices": [], "usage": {"completion_tokens": 5}}')
    code, out, _ = command("lint", "answer.json")
    assert code == 0
    assert "warning: metrics.speculative_decoding: there is none: acceptance is unknown, not zero" in out


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


def spec_bench(path, seconds, key="new_tokens"):
    lines = [{"question_id": one, "choices": [{key: [50], "wall_time": [seconds]}]} for one in range(3)]
    path.write_text("\n".join(json.dumps(line) for line in lines) + "\n")


def test_compare_of_answers(command, tmp_path):
    """Case C42: answers of two programs, question by question; one that counts nothing is refused."""
    spec_bench(tmp_path / "a.jsonl", 1.0)
    spec_bench(tmp_path / "b.jsonl", 0.5)
    code, out, _ = command("compare", "a.jsonl", "b.jsonl")
    assert code == 0
    assert out.startswith("output_throughput: B is 2.000 of A (one run, no interval): cannot be told\n  note: one run")
    assert "over the 3 questions that every file answers" in out

    spec_bench(tmp_path / "b.jsonl", 0.5, key="text")
    code, _, err = command("compare", "a.jsonl", "b.jsonl")
    assert (code, "3 of 3 answers have no new_tokens above 0" in err) == (1, True)

    (tmp_path / "b.jsonl").write_text('{"question_id": 1}\n{"quest\n')
    code, _, err = command("compare", "a.jsonl", "b.jsonl")
    assert (code, "b.jsonl, line 2: it is not JSON" in err) == (2, True)


def test_compare_of_an_empty_folder(command, tmp_path):
    """A folder without runs says which files it looked for."""
    (tmp_path / "a").mkdir()
    code, _, err = command("compare", "a", "a")

    assert (code, "a: the folder has no .json or .jsonl file" in err) == (2, True)


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
