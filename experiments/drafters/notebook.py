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
# # Drafters
#
# Which drafter, and is any of them faster than none?
# A drafter cannot be exchanged in a running engine, so every arm has boots of its own: once a replicate, in a random order.
# `plan.toml` beside this notebook holds the prompts, the depth, and the rule by which the outcome is decided; the profile names the drafters.

# %% tags=["parameters"]
profile = "laptop"
effort = "quick"
run_id = ""  # empty: measure; otherwise derive from the blocks of that stored run

# %%
import pandas as pd

import specwiki
from specwiki.core import depth_values, drafter_values

lab = specwiki.open_lab("drafters", profile=profile, effort=effort, run_id=run_id)
drafters = lab.experiment.drafters

# %% [markdown]
# ## Blocks
#
# One boot, one arm, all prompts once. The warm-up, on prompts of another language, counts nowhere.

# %%
blocks = pd.DataFrame(
    {
        "boot": block.boot,
        "replicate": block.replicate,
        "arm": block.arm,
        "tok/s": round(block.output_tok_s, 2),
        "drafts": block.counters.num_drafts if block.counters else None,
        "accepted": block.counters.num_accepted_tokens if block.counters else None,
        "status": block.status,
    }
    for block in lab.blocks
)
print(blocks.to_string(index=False))

# %% [markdown]
# ## Values
#
# Throughput over `off` comes from one log ratio per replicate, with Student's t: each replicate has boots of its own, so
# that what differs from boot to boot is in their scatter. Acceptance comes from a bootstrap over prompts.

# %%
run = depth_values.arrange(lab.blocks, lab.history)
values = drafter_values.values(run, drafters)
for key, value in values.items():
    if key.startswith(("ratio.", "acceptance_rate.", "aa.")) and key.count(".") <= 2:
        interval = "" if value.low is None else f" [{value.low:.3f}, {value.high:.3f}]"
        print(f"{key:34} {value.missing or f'{value.number:.3f}{interval}'}")

# %% [markdown]
# ## The best drafter, pooled and by kind of prompt
#
# The one with the highest mean, if it is shown to beat `off` when all drafters are compared with it together.

# %%
outcomes = drafter_values.outcomes(run, drafters, lab.experiment.plan.rule)
for key, outcome in outcomes.items():
    print(f"{key:24} {outcome.verdict:10} {outcome.arm or '':14} {', '.join(outcome.ties)}")

# %% [markdown]
# ## Charts

# %%
charts = {
    f"drafters-{metric}": specwiki.drafter_chart(drafter_values.rows(run, values, metric), metric)
    for metric in drafter_values.CHARTED
}
specwiki.show_chart("drafters-ratio")

# %%
specwiki.show_chart("drafters-acceptance_rate")

# %%
lab.save(values, drafter_values.tables(run, values, drafters), charts, outcomes, None)
