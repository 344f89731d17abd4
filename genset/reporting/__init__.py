"""Say what was found, as one HTML file, Markdown, JSON or a table: all from the same numbers.

::

    options         what a report is asked for
    report          what it says (`ReportData`), and what a section of it is
    collect         from what is kept of runs to that: without any model
    sections/       one a file: numbers, table, figure, sentences; `order` has their order
    figures/        what several sections draw, as SVG
    headline        what is said first
    verdict         two models: what can be claimed, for `genset compare` too
    blocks, html    what sections show, and how the page shows it
    page, forms     the HTML file; Markdown and JSON
    write           the report on a set in each of its forms
    truth           runs by a set's multi-label truth, for `genset evaluate`
    suspects        what all leading models get wrong, for `genset labels suspects`
"""
