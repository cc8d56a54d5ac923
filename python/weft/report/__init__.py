"""Reports: what can be said of a campaign's results, and no more.

statistics    mean, spread, bootstrap intervals, and whether a difference is more than noise        (pure)
samples       results as values by setting, way and repeat                                           (pure)
comparison    every way against the baseline and the others                                          (pure)
beside_paper  the paper's figures beside ours                                                        (pure)
answers       the answer, in one sentence                                                            (pure)
calls         single calls, ranks and reading back, where runs tell of them                            (pure)
wording       what else is said of all that                                                          (pure)
tables, plots, page     Markdown and CSV, PNG and SVG, one HTML page
html_parts    what pages are made of                                                                (pure)
between       two folders of results, cell by cell: between_words, between_page, between_plot        (pure)
loading, making, comparing    folders are read, reports are written
arguments, command            weft-report
"""
