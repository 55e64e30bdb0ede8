"""Errors that only some inputs raise, and what the program does about them."""

from __future__ import annotations

import contextlib
import math
import warnings

import numpy as np
import scipy.interpolate
import scipy.linalg

from soundness.harness import Program, program

PROGRAMS: list[Program] = []

UP = np.array([0.7, 0.4, 1.3, 0.9])
DOWN = np.array([-0.7, 0.4, -1.3, 0.9])
LAST = np.array([-0.7, -0.4, -1.3, 0.9])
LATE = np.array([-0.7, -0.4, 1.3, 0.9])
NEVER = np.array([-0.7, -0.4, -1.3, -0.9])
TINY = np.array([-0.7, 0.1, 0.2, 0.3])
FAR = np.array([900.0, 0.4, 1.3, 0.9])


@program(UP, DOWN, to=PROGRAMS)
def root_or_value(x):
    try:
        r = math.sqrt(x[0])
    except ValueError:
        r = x[1] ** 2
    return r * x[3]


@program(UP, FAR, to=PROGRAMS)
def overflow_is_suppressed(x):
    r = x[1] * x[2]
    with contextlib.suppress(OverflowError):
        r = math.exp(x[0])
    return r


@program(UP, DOWN, LATE, LAST, NEVER, to=PROGRAMS)
def the_first_that_works(x):
    for v in x:
        try:
            return math.log(v) * x[3]
        except ValueError:
            continue
    return 0.0 * x[0]


@program(
    UP,
    DOWN,
    LATE,
    TINY,
    np.array([-0.7, 0.4, 1.3, 0.9]),
    np.array([-2.0, 0.4, 1.3, 0.9]),
    to=PROGRAMS,
)
def shifted_until_it_works(x):
    shift = 0.0
    for k in range(3):
        try:
            return math.log(x[0] + shift)
        except ValueError:
            shift = shift + x[k + 1] ** 2
    return shift


@program(UP, DOWN, np.array([0.7, 1.4, 1.3, 0.9]), to=PROGRAMS)
def the_handler_is_two_calls_up(x):
    def arc(v):
        return math.acos(v)

    def both(a, b):
        return arc(a) + math.sqrt(b)

    try:
        return both(x[1], x[0])
    except (KeyError, ValueError) as error:
        return x[2] * x[3] * len(error.args)


@program(UP, DOWN, to=PROGRAMS)
def translated_on_the_way(x):
    class Infeasible(Exception):
        pass

    def power(v):
        try:
            return math.pow(v, 0.5)
        except ValueError as error:
            raise Infeasible("negative") from error

    try:
        value = power(x[0])
    except Infeasible:
        value = x[1] * x[2]
    else:
        value = value + x[3] ** 2
    finally:
        done = 1.0
    return value * done


@program(UP, DOWN, to=PROGRAMS)
def raised_again_for_the_caller(x):
    log = []

    def root(v):
        try:
            return math.sqrt(v)
        except ValueError:
            log.append("no root")
            raise

    try:
        return root(x[0])
    except ValueError:
        return x[2] ** 3


@program(UP, DOWN, to=PROGRAMS)
def a_generator_fails_in_the_middle(x):
    def roots():
        for v in x:
            yield math.sqrt(v)

    total = 0.0
    try:
        for r in roots():
            total = total + r
    except ValueError:
        total = total * x[3]
    return total


@program(UP, DOWN, to=PROGRAMS)
def a_comprehension_fails(x):
    try:
        return np.array([math.log(v) for v in x[:3]])
    except ValueError:
        return x[1:] * x[3]


@program(UP, DOWN, to=PROGRAMS)
def every_error_is_a_penalty(x):
    try:
        cost = math.log(x[0]) + math.sqrt(x[2])
    except Exception:
        return 10.0 + x[3] ** 2
    return cost


@program(UP, FAR, to=PROGRAMS)
def bare_except(x):
    try:
        return math.cosh(x[0]) * x[1]
    except:  # noqa: E722
        return x[2] ** 2


@program(UP, DOWN, to=PROGRAMS)
def an_exit_stack(x):
    out = x[1] + x[2]
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.suppress(ValueError))
        out = math.log10(x[0])
    return out


class Forgiving:
    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        return kind is ValueError


@program(UP, DOWN, to=PROGRAMS)
def a_manager_that_forgives(x):
    out = x[3] ** 2
    with Forgiving():
        out = math.sqrt(x[0])
    return out


@program(UP, DOWN, to=PROGRAMS)
def not_caught_by_this_clause(x):
    try:
        return math.sqrt(x[0])
    except OverflowError:
        return x[1] * x[2]


@program(UP, DOWN, np.array([0.0, 0.4, 1.3, 0.9]), to=PROGRAMS)
def numpy_raises_on_demand(x):
    with np.errstate(all="raise"):
        try:
            return np.log(x[0])
        except FloatingPointError:
            return x[2] ** 2


@np.errstate(invalid="raise")
def strict_root(v):
    return np.sqrt(v)


@program(UP, DOWN, to=PROGRAMS)
def numpy_raises_in_a_decorated_function(x):
    try:
        return strict_root(x[:3]).sum()
    except FloatingPointError:
        return x[3] ** 2


@program(UP, DOWN, to=PROGRAMS)
def numpy_calls_back(x):
    met = []
    with np.errstate(invalid="call", call=lambda kind, flag: met.append(kind)):
        r = np.sqrt(x[0])
    return x[1] * x[2] if met else r


@program(UP, DOWN, to=PROGRAMS)
def the_state_is_set_and_put_back(x):
    before = np.seterr(invalid="raise")
    try:
        return np.log(x[2])
    except FloatingPointError:
        return x[1] ** 2
    finally:
        np.seterr(**before)


@program(UP, DOWN, to=PROGRAMS)
def a_list_of_warnings(x):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        r = np.sqrt(x[0])
    if seen:
        return x[2] ** 2
    return r


@program(UP, DOWN, to=PROGRAMS)
def the_number_of_warnings(x):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always", RuntimeWarning)
        r = np.log(x[2]) * x[1]
    return r if len(seen) == 0 else x[3] ** 3


@program(UP, DOWN, to=PROGRAMS)
def warnings_are_errors(x):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return np.log(x).sum()
        except RuntimeWarning:
            return x[1] * x[3]


@program(np.array([2.0, 0.3, 0.3, 1.0, 0.5]), np.array([1.0, 2.0, 2.0, 1.0, 0.5]), to=PROGRAMS)
def cholesky_with_jitter(x):
    a = x[:4].reshape(2, 2)
    a = (a + a.T) / 2
    for k in range(3):
        try:
            return np.linalg.cholesky(a + (5.0 * k) * np.eye(2))[1, 1]
        except np.linalg.LinAlgError:
            a = a * x[4]
    return x[4]


@program(np.array([2.0, 0.3, 0.4, 1.0, 0.5]), np.array([0.0, 0.0, 0.0, 0.0, 0.5]), to=PROGRAMS)
def singular_or_not(x):
    try:
        return np.linalg.solve(x[:4].reshape(2, 2), x[3:])
    except np.linalg.LinAlgError:
        return x[3:] ** 2


@program(np.array([2.0, 0.3, 0.3, 1.0, 0.5]), np.array([1.0, 2.0, 2.0, 1.0, 0.5]), to=PROGRAMS)
def factorized_by_scipy(x):
    a = x[:4].reshape(2, 2)
    try:
        factor = scipy.linalg.cho_factor((a + a.T) / 2)
        return scipy.linalg.cho_solve(factor, x[3:]).sum()
    except scipy.linalg.LinAlgError:
        return x[4] ** 2


MANY = np.linspace(-1.1, 0.9, 12)


def log_or_floor(v):
    try:
        return math.log(v)
    except ValueError:
        return -30.0


@program(MANY, -MANY, abs(MANY) + 0.1, to=PROGRAMS)
def a_number_for_each_that_fails(x):
    return sum(log_or_floor(v) for v in x) * x[::4]


@program(MANY, -MANY, abs(MANY) + 0.1, to=PROGRAMS)
def a_penalty_for_all_of_a_loop(x):
    try:
        total = x[0]
        for v in x[1:]:
            total = total * math.sqrt(v)
        return total
    except ValueError:
        return 1e10


def log_or_none(v):
    try:
        return math.log(v)
    except ValueError:
        return None


@program(UP, DOWN, to=PROGRAMS)
def nothing_where_it_fails(x):
    r = log_or_none(x[0])
    return x[1] * x[2] if r is None else r * x[3]


@program(UP, DOWN, to=PROGRAMS)
def what_was_written_before_it_failed_stays(x):
    y = np.zeros(2)

    def filled():
        try:
            y[0] = x[1] ** 2
            r = math.log(x[0])
            y[0] = x[2] ** 2
        except ValueError:
            return 0.0
        return r

    return y * filled() + y


TABLE = scipy.interpolate.interp1d([-1.0, 0.0, 1.0, 2.0], [1.0, 0.0, 1.0, 4.0])


@program(UP, FAR, to=PROGRAMS)
def outside_of_a_table(x):
    try:
        return TABLE(x[0]) * x[1]
    except ValueError:
        return x[3] ** 2


@program(UP, DOWN, to=PROGRAMS)
def each_element_of_vectorize(x):
    def safe(v):
        try:
            return math.sqrt(v)
        except ValueError:
            return v**2

    return np.vectorize(safe)(x) * x[1]


@program(UP, DOWN, to=PROGRAMS)
def the_handler_is_around_vectorize(x):
    try:
        return np.vectorize(math.sqrt)(x[:3]).sum()
    except ValueError:
        return x[3] ** 2


@program(
    UP,
    DOWN,
    LATE,
    np.array([0.7, -0.4, -1.3, 0.9]),
    np.array([0.7, 0.4, -1.3, 0.9]),
    np.array([0.7, 0.4, 1.3, -0.9]),
    to=PROGRAMS,
)
def errors_as_messages_between_functions(x):
    class Found(Exception):
        pass

    def search():
        for i, v in enumerate(x):
            if v < 0:
                raise Found(i)

    try:
        search()
    except Found as found:
        return x[found.args[0]] * x[3]
    return x[1] ** 2


@program(
    UP,
    DOWN,
    LATE,
    np.array([0.7, -0.4, -1.3, 0.9]),
    np.array([0.7, 0.4, -1.3, 0.9]),
    np.array([0.7, 0.4, 1.3, -0.9]),
    to=PROGRAMS,
)
def a_loop_that_ends_by_an_error(x):
    i = 0
    try:
        while True:
            if x[i] < 0:
                break
            i += 1
    except IndexError:
        return x[-1] ** 2
    return x[i] * x[1]


@program(
    np.array([1.2, 0.4, 1.3, 0.9]),
    np.array([-9.0, 0.4, 1.3, 0.9]),
    np.array([0.2, 0.4, 1.3, 0.9]),
    np.array([2.2, 0.4, 1.3, 0.9]),
    np.array([3.2, 0.4, 1.3, 0.9]),
    to=PROGRAMS,
)
def past_the_end_of_a_traced_table(x):
    table = x**2
    try:
        return table[x[0].astype(int)]
    except IndexError:
        return x[3] * x[1]


@program(np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 2.0, -3.0, 3.0]), to=PROGRAMS)
def weights_that_sum_to_zero(x):
    try:
        return np.average(x[:2], weights=x[2:])
    except ZeroDivisionError:
        return x[0] * x[1]


@program(UP, np.array([-900.0, 0.4, 1.3, 0.9]), to=PROGRAMS, conservative="exp(-900) is 0")
def python_heeds_no_state_of_numpy(x):
    with np.errstate(all="raise"):
        try:
            r = math.exp(x[0])
        except FloatingPointError:
            r = x[2]
    return r * x[1]


@program(np.array([1.3, 0.7, 1.2, -0.4]), np.array([-1.6, 0.2, -0.4, 0.9]), to=PROGRAMS)
def the_result_of_a_generator(x):
    def pairs(k):
        given = yield x[k]
        return given * x[k + 1] if given > 0 else x[0]

    def both():
        return (yield from pairs(0)) * (yield from pairs(2))

    steps = both()
    value = next(steps)
    try:
        while True:
            value = steps.send(value - 0.5)
    except StopIteration as end:
        return end.value


@program(np.array([0.3, 0.7, 1.2, -0.4]), np.array([-1.6, 0.2, -0.4, 0.9]), to=PROGRAMS)
def a_value_thrown_into_a_generator(x):
    def sums():
        total = x[0]
        while True:
            try:
                total = total + (yield total)
            except LookupError as found:
                total = total * found.args[0]

    running = sums()
    next(running)
    value = running.send(x[1])
    if value > 0:
        return running.throw(LookupError(x[2]))
    return running.send(x[3])
