"""How data sets lie on disk, a module each: `DESCRIBED`, and `read(data)`, which gives a `Listing`.

They read names and lists. That the photos can be read, and that each class has enough of them, is
looked at in `genset.finetune.tasks`, the same for all.
"""
