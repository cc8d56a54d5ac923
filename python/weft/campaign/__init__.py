"""Campaigns: experiments described in a file, done one at a time in random order.

campaign_file   a TOML file becomes a Campaign, every key checked          (pure, but for reading the file)
experiments     its matrix becomes experiments, in the order of a seed     (pure)
preparation     what can be known before the first run: kernels, launcher, room, options
wishes          what the command line says instead of the file, and what --resume recalls of it
resuming        whether results can be gone on with, and what is left to do
runner          the loop: settle, run, check, record, remove
results         the file of results, appended line by line
shorthand       what repeats is said once in it                            (pure)
machine         what the machine is
arguments, command    weft-campaign
"""
