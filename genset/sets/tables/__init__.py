"""Sets in tables, as Hugging Face's data sets lie: Parquet files, or Arrow's of save_to_disk.

::

    class_names   the classes that names of labels mean
    features      which columns are photos and labels
    parquet       rows of Parquet files
    arrow         rows of Arrow files
    hugging_face  the layout: which files, and their photos
"""
