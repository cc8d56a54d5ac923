"""Reports: what can be said of a campaign's results, and no more.

statistics    mean, spread, bootstrap intervals, and whether a difference is more than noise        (pure)
samples       results as values by setting, way and repeat                                           (pure)
comparison    every way against the baseline and the others                                          (pure)
beside_paper  the paper's figures beside ours                                                        (pure)
answers       the answer, in one sentence                                                            (pure)
wording       what else is said of all that                                                          (pure)
tables, plots, page     Markdown and CSV, PNG and SVG, one HTML page
command       weft-report
"""
