"""Constants beside traced elements keep the rounding, range and sign of their dtype."""

import numpy as np

from soundness.harness import Program, program

PROGRAMS: list[Program] = []
X = np.array([1.5, 2.5, 3.5])
TENTH = 0.1
LARGE = 2**53 + 1


@program(X, to=PROGRAMS)
def single_precision_in_a_buffer(x):
    out = np.zeros(3, np.float32)
    out[0] = TENTH
    out[1] = x[0]
    return x[1] if out[0] == TENTH else x[2] * out[1]


@program(X, to=PROGRAMS)
def single_precision_joined_to_doubles(x):
    small = np.zeros(2, np.float32)
    small[0] = TENTH
    small[1] = x[0]
    joined = np.concatenate([small, x])
    return x[1:] if joined[0] == TENTH else x[:2]


@program(X, to=PROGRAMS)
def single_precision_written_into_doubles(x):
    small, out = np.empty(2, np.float32), np.zeros(3)
    small[:] = x[:2]
    small[0] = TENTH
    out[:2] = small
    return [x[2] * out[1]] if out[0] != TENTH else [x[0]]


@program(X, to=PROGRAMS)
def half_precision_overflows(x):
    out = np.zeros(2, np.float16)
    with np.errstate(all="ignore"):
        out[0], out[1] = 1e6, x[0]
    wide = out.astype(float)
    return x[0] if wide[0] == 1e6 else x[1]


@program(X, to=PROGRAMS)
def half_precision_filled_and_put(x):
    out = np.zeros(3, np.float16)
    out[2] = x[2]
    out[:2].fill(1 / 3)
    np.put(out, [1], [1 / 7])
    wide = out + np.zeros(3)
    return x[0] if wide[0] == 1 / 3 or wide[1] == 1 / 7 else x[1]


@program(X, to=PROGRAMS)
def single_precision_by_out(x):
    out = np.zeros(3, np.float32)
    out[2] = x[2]
    np.add(out[:2], [TENTH, 0.0], out=out[:2])
    wide = np.zeros(3)
    wide[...] = out
    return wide * x if wide[0] == TENTH else wide * x[0]


@program(X, to=PROGRAMS)
def long_whole_numbers(x):
    table = np.concatenate([(x > 2).astype(int), [LARGE]])
    return x[0] if table[-1] == 2**53 else x[1]


@program(X, to=PROGRAMS)
def whole_numbers_without_a_sign(x):
    table = np.append((x > 2).astype(np.uint64), np.array([2**64 - 1], np.uint64))
    return x[0] if int(table[-1]) == 2**64 - 1 else x[1]


@program(X, to=PROGRAMS)
def long_whole_numbers_as_doubles(x):
    table = np.concatenate([(x > 2).astype(int), [LARGE]])
    out = np.zeros(4)
    out[:3] = x
    out[3] = table[-1]
    return x[0] if out[3] == LARGE else x[1] * out[0]


@program(X, to=PROGRAMS)
def a_long_whole_number_joins_doubles(x):
    joined = np.concatenate([x, [LARGE]])
    return x[0] if joined[3] - 2**53 == 1 else x[1]


@program(X, to=PROGRAMS)
def long_doubles(x):
    table = np.zeros(2, np.longdouble)
    table[0] = np.longdouble(1) + np.finfo(np.longdouble).eps
    table[1] = x[0]
    narrow = np.finfo(np.longdouble).eps == np.finfo(float).eps
    return x[1] if table[0] == 1 and not narrow else x[2]


@program(X, to=PROGRAMS)
def long_doubles_beyond_the_range(x):
    table = np.zeros(2, np.longdouble)
    table[0] = np.finfo(np.longdouble).max
    table[1] = x[0]
    return x[1] if np.isinf(table[0]) else x[2]


@program(X, to=PROGRAMS)
def long_doubles_written_into_doubles(x):
    table, out = np.zeros(2, np.longdouble), np.zeros(2)
    table[0] = np.longdouble(1) / 3
    table[1] = x[0]
    out[:] = table
    return x[1] if out[0] == 1 / 3 else x[2] * out[1]


@program(X, to=PROGRAMS)
def the_sign_of_zero_in_a_division(x):
    out = np.zeros(3)
    out[0], out[1] = -0.0, x[1]
    with np.errstate(all="ignore"):
        return x[0] if (1 / out)[0] > 0 else x[2]


@program(X, to=PROGRAMS)
def the_sign_of_zero_by_signbit(x):
    out = np.array([-0.0, 0.0, 1.0])
    out[2] = x[2]
    signs = np.signbit(out[:2])
    return x[:2] if signs[0] == signs[1] else x[1:]


@program(X, to=PROGRAMS)
def the_sign_of_zero_copied(x):
    out = np.full(3, -0.0)
    out[1] = x[1]
    factor = np.copysign(1.0, out)
    return [x[0]] if factor[0] == 1 else [x[2] * factor[2]]


@program(X, to=PROGRAMS)
def an_angle_by_the_sign_of_zero(x):
    out = np.zeros((2, 2))
    out[0] = [-0.0, -1.0]
    out[1] = x[:2]
    angle = np.arctan2(out[:, 0], out[:, 1])
    return x[0] * angle[1] if angle[0] > 0 else x[2] * angle[1]


@program(X, to=PROGRAMS)
def negated_zeros(x):
    out = np.zeros(3)
    out[2] = x[2]
    out *= -1.0
    return x[0] if np.signbit(out[0]) else x[1]


@program(X, to=PROGRAMS)
def a_product_of_a_row_with_a_zero(x):
    out = np.ones((2, 2))
    out[0] = [-1.0, 0.0]
    out[1] = x[:2]
    found = np.prod(out, axis=1)
    return x[2] * found[1] if np.signbit(found[0]) else x[0]


@program(X, to=PROGRAMS)
def negative_zeros_of_a_matrix_still_cut(x):
    matrix = np.zeros((3, 3))
    matrix[0] = [-0.0, 1.0, -0.0]
    matrix[2] = x
    return matrix @ x


@program(X, to=PROGRAMS)
def complex_numbers_of_single_precision(x):
    out = np.zeros(2, np.complex64)
    out[0], out[1] = TENTH * 1j, x[0]
    wide = out.astype(complex)
    return x[1] if wide[0] == TENTH * 1j else x[2] * wide[1].real


@program(X, to=PROGRAMS)
def the_real_part_alone(x):
    z = np.zeros(2, complex)
    z[0], z[1] = 1 + 2j, x[0]
    joined = np.concatenate([z.real, 1j * x])
    return x[0] if joined[0].imag == 2 else x[1]


@program(X, to=PROGRAMS)
def truth_values_and_whole_numbers(x):
    counts = np.array([2.7, x[0], 0.5]).astype(int)
    truth = np.array([0.5, x[1]]).astype(bool)
    numbers = np.concatenate([counts, truth, x])
    return x[0] if numbers[0] == 2.7 or numbers[2] == 0.5 or numbers[3] == 0.5 else x[1:]


@program(X, to=PROGRAMS)
def long_doubles_and_matrices(x):
    b = np.empty(2, np.longdouble)
    b[0] = np.longdouble(1) / 3
    b[1] = x[0]
    w = np.array([1.0, 2.0, 3.0])
    w[0] = x[1] if b[0] != 1 / 3 else x[2]
    return np.linalg.solve(np.eye(3), w) + np.convolve(w, [1.0, 0.0])[:3]


@program(X, to=PROGRAMS)
def long_doubles_and_prefixes(x):
    b = np.array([np.longdouble(1) / 3, x[0]])
    y = x * 1.0 if b[0] != 1 / 3 else x[::-1]
    v = np.resize(x, 4)
    v[0] = 0.0
    return np.divide.accumulate(v[:3] + 5) * y
