"""Say what was found, as one HTML file, Markdown or JSON: all from the same numbers.

::

    data        what a report says
    gather      from what is kept of runs to that: without any model
    narrative   what the numbers say, in sentences
    figures     one a file, as SVG
    render      HTML, Markdown, JSON
    write       gather and render
    series      several sets as one study, and each one's report
    truth       runs by a set's multi-label truth, for the table of genset evaluate
    latency     times of models on one photo at a time, as entries of DAWNBench
"""
