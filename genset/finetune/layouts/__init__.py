"""The file layouts of data sets. Each module has `DESCRIBED`, and `read(data)`, giving a `Listing`.

The modules read names and lists only. `genset.finetune.tasks` checks, for all of them, that
the photos can be read and that each class has enough of them.
"""
