"""Downloads: numbers as stored."""

import csv
import io
import json

from specwiki.core.result import Result
from specwiki.render.downloads import result_json, values_csv


def test_every_value_is_a_row(make_result):
    """With bounds, reason and dates."""
    result = make_result()
    rows = {row["key"]: row for row in csv.DictReader(io.StringIO(values_csv(result)))}

    assert set(rows) == set(result.values)
    assert float(rows["ratio.c1.d4"]["number"]) == result.values["ratio.c1.d4"].number
    assert rows["acceptance_rate.c1.off"]["number"] == ""
    assert rows["acceptance_rate.c1.off"]["missing"] == "speculation_off"
    assert rows["boots"]["good_until"] == "2027-02-26"


def test_the_result_comes_back(make_result):
    """The JSON is the stored result."""
    result = make_result()

    assert Result.model_validate(json.loads(result_json(result))) == result
