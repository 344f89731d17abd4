"""How to record a trace that holds all that is read: what ``genset tta profile --how`` prints."""

HOW = """\
from torch.profiler import profile, schedule
with profile(record_shapes=True, schedule=schedule(wait=5, warmup=3, active=3, repeat=1),
             on_trace_ready=lambda p: p.export_chrome_trace("rank0.json.gz")) as profiler:
    for batch in batches:  # yours: 11 or more
        train(batch)  # yours: a whole training step
        profiler.step()"""
