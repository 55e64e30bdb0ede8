"""Masked arrays of numpy.ma over traced data.

Contract: a masked element is not a zero.  It carries no dependency into any result;
``.data`` alone still shows what lies under the mask.  Where the inputs decide the mask,
results unite both outcomes, and what needs to know it is refused.
"""

from sparsetrace.masked import axis_reductions as axis_reductions
from sparsetrace.masked.answers import ANSWERS, METADATA, as_masked, by_method, derive_functions
from sparsetrace.masked.construction import constructed
from sparsetrace.masked.masked_array import MaskedTracedArray
from sparsetrace.masked.numpy_functions import function_call
from sparsetrace.masked.ufuncs import ufunc_call

derive_functions()  # from the methods that the modules above have registered

__all__ = [
    "ANSWERS",
    "METADATA",
    "MaskedTracedArray",
    "as_masked",
    "by_method",
    "constructed",
    "function_call",
    "ufunc_call",
]
