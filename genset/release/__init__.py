"""Frozen test sets: choose, freeze, verify, read.

::

    candidates    what is chosen from: a row for each stored candidate
    strategies/   which of them are taken
    choose        how photos are chosen: the plan, and the choice step by step
    freeze        the choice as records, and a release or a preview made of it
    preview       what it contains in numbers, and what to look at before it is handed on
    multilabel/   the same with several right answers a photo
    facts         what else a manifest says
    documents/    what is made of a manifest for people and other programs, one document a file
    publish       a release's folder, written completely or not at all, and parts of a release
    reader/       a manifest, and a release's folder as a data set
    exports/      a release for other tools, one format a file
    versions      a new version without photos that were removed, and what differs between two
"""
