"""weft.indexing against NumPy: every key means the same, and the boxes hold what it needs."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from weft import indexing

SHAPES = npst.array_shapes(min_dims=1, max_dims=4, min_side=1, max_side=9)


@st.composite
def shape_and_key(draw):
    shape = draw(SHAPES)
    kind = draw(st.sampled_from(["basic", "integers", "mask", "mixed"]))
    if kind == "basic":
        return shape, draw(npst.basic_indices(shape, allow_newaxis=True))
    if kind == "integers":
        return shape, draw(npst.integer_array_indices(shape, result_shape=npst.array_shapes(max_dims=2, max_side=4)))
    if kind == "mask":
        axes = draw(st.integers(1, len(shape)))
        return shape, draw(npst.arrays(bool, shape[:axes]))
    parts = []
    for extent in shape:
        part = draw(st.sampled_from(["int", "slice", "list"]))
        if part == "int":
            parts.append(draw(st.integers(-extent, extent - 1)))
        elif part == "slice":
            parts.append(draw(st.slices(extent)))
        else:
            length = 3  # lists of one length broadcast
            parts.append(draw(st.lists(st.integers(-extent, extent - 1), min_size=length, max_size=length)))
    where = draw(st.integers(0, len(parts)))
    kept = draw(st.integers(where, len(parts)))
    return shape, (*parts[:where], ..., *parts[kept:])


def read(array, selection):
    boxes = [
        array[tuple(slice(int(a), int(a + n)) for a, n in zip(start, count, strict=True))].reshape(-1)
        for start, count in zip(selection.starts, selection.counts, strict=True)
    ]
    return np.concatenate(boxes) if boxes else np.empty(0, array.dtype)


@settings(max_examples=400, deadline=None)
@given(shape_and_key())
def test_a_key_means_what_it_means_to_numpy(case):
    shape, key = case
    array = np.arange(np.prod(shape)).reshape(shape)
    selection = indexing.select(key, shape)
    np.testing.assert_array_equal(selection.assemble(read(array, selection)), array[key])


@settings(max_examples=400, deadline=None)
@example(((1, 1, 1, 7), (0, 0, slice(None), slice(0, 7, 2))), 2)
@given(shape_and_key(), st.integers(1, 3))
def test_few_boxes_hold_the_same(case, most):
    shape, key = case
    array = np.arange(np.prod(shape)).reshape(shape)
    before, indexing.MOST_BOXES = indexing.MOST_BOXES, most
    try:
        selection = indexing.select(key, shape)
    finally:
        indexing.MOST_BOXES = before
    np.testing.assert_array_equal(selection.assemble(read(array, selection)), array[key])
    assert len(selection.starts) <= max(1, most)


def test_neighbours_are_one_box():
    assert len(indexing.select((slice(None), [4, 5, 6, 7]), (10, 100)).starts) == 1
    assert len(indexing.select((slice(None), [4, 90]), (10, 100)).starts) == 2


@pytest.mark.parametrize(
    ("key", "error"),
    [
        (10, IndexError),
        ((0, 0, 0), IndexError),
        ((..., ...), IndexError),
        (np.ones(3, bool), IndexError),
        ([0, 10], IndexError),
        (1.5, TypeError),
        ("V", TypeError),
        (True, TypeError),
        (slice(0, 5, 0), ValueError),
    ],
)
def test_what_is_no_index_is_refused(key, error):
    with pytest.raises(error):
        indexing.select(key, (10, 4))
