from math import cos, sin

from numpy import array


def rotate(point, angle):
    return array([[cos(angle), -sin(angle)], [sin(angle), cos(angle)]]) @ point
