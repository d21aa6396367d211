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
# # Depth
#
# How does throughput change with the draft depth, against an engine without a drafter?
# `plan.toml` beside this notebook holds the arms, the prompts, and the rule by which the outcome is decided; it was fixed before the run.

# %% tags=["parameters"]
profile = "laptop"
effort = "quick"
run_id = ""  # empty: measure; otherwise derive from the blocks of that stored run

# %%
import pandas as pd

import specwiki
from specwiki.core import depth_findings, depth_values

lab = specwiki.open_lab("depth", profile=profile, effort=effort, run_id=run_id)

# %% [markdown]
# ## Blocks
#
# One arm measured once at one load is a block. They ran in this order; a warm-up counts nowhere.

# %%
blocks = pd.DataFrame(
    {
        "boot": block.boot,
        "replicate": block.replicate,
        "arm": block.arm,
        "streams": block.concurrency,
        "prompts": block.group,
        "tok/s": round(block.output_tok_s, 2),
        "drafts": block.counters.num_drafts if block.counters else None,
        "status": block.status,
    }
    for block in lab.blocks
)
print(blocks.to_string(index=False))

# %% [markdown]
# ## Values
#
# Throughput over `off` comes from one log ratio per replicate, with Student's t and the boot-to-boot component.
# Acceptance comes from a bootstrap over prompts.

# %%
run = depth_values.arrange(lab.blocks, lab.history)
values = depth_values.values(run)
print(f"boot-to-boot sd: {run.boot_sd.sd:.4f} ({run.boot_sd.num_boots or 'assumed, too few'} boots)")
for key, value in values.items():
    if key.startswith(("ratio.", "aa.", "floor.")) and key.count(".") <= 2:
        interval = "" if value.low is None else f" [{value.low:.3f}, {value.high:.3f}]"
        print(f"{key:18} {value.missing or f'{value.number:.3f}{interval}'}")

# %% [markdown]
# ## The best depth at each load
#
# The smallest depth shown to be within 3 % of the best, if the best is shown to beat `off`.

# %%
chosen = depth_findings.choices(run)
tiers = depth_findings.tiers(run, chosen)
outcomes = depth_findings.outcomes(run, chosen, lab.experiment.plan.rule, tiers)
for key, outcome in outcomes.items():
    print(f"{key:10} {outcome.verdict} {'' if outcome.depth is None else outcome.depth}")

# %% [markdown]
# ## Charts

# %%
charts = {
    "ratio": specwiki.ratio_chart(depth_findings.ratio_rows(run, values)),
    "position": specwiki.position_chart(depth_findings.position_rows(run, values)),
}
specwiki.show_chart("ratio")

# %%
specwiki.show_chart("position")

# %%
lab.save(values, depth_findings.tables(run, values), charts, outcomes, tiers)
