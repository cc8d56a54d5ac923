"""What tests of the Python package share. They run with a Python that has the package (pip install .)."""
