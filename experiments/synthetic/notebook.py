# ---
# jupyter:
#   jupytext:
#     formats: py:percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Synthetic against written
#
# The same engine, drafter and depths on two sets of prompts: lists of code words, and prompts such as people give.
# Which depth would each of them have chosen, and what would choosing by the lists have cost?
# The blocks are those of a run of the depth experiment: both sets ran in the same boots, in one random order.

# %% tags=["parameters"]
profile = "laptop"
effort = "quick"
run_id = ""  # the run of the depth experiment that is read

# %%
import specwiki
from specwiki.core import synthetic_values

lab = specwiki.open_lab("synthetic", profile=profile, effort=effort, run_id=run_id)

# %% [markdown]
# ## Values
#
# At the lowest load. Keys without a kind are of the written set.

# %%
sets = synthetic_values.arrange(lab.blocks, lab.history)
values = synthetic_values.values(sets)
for key, value in values.items():
    if key.startswith(("ratio.", "acceptance_rate.", "regret.")):
        interval = "" if value.low is None else f" [{value.low:.3f}, {value.high:.3f}]"
        print(f"{key:36} {value.missing or f'{value.number:.3f}{interval}'}")

# %% [markdown]
# ## What each set would have chosen

# %%
outcomes = synthetic_values.outcomes(sets, lab.experiment.plan.rule)
for key, outcome in outcomes.items():
    print(f"{key:16} {outcome.verdict} {'' if outcome.depth is None else outcome.depth}")

# %% [markdown]
# ## Charts

# %%
charts = {
    f"kinds-{metric}": specwiki.kind_chart(synthetic_values.rows(values, metric), metric)
    for metric in ("ratio", "acceptance_rate")
}
specwiki.show_chart("kinds-ratio")

# %%
specwiki.show_chart("kinds-acceptance_rate")

# %%
lab.save(values, synthetic_values.tables(values), charts, outcomes, None)
