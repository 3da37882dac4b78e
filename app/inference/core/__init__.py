"""What every fit is made of: sums of a log, the maximum given them, H^-1.

    design.py               R: rows of comparisons, and what is linear in the parameters
    edges.py                what was said on each row, added up; gradient and curvature
    maximum.py              the damped Newton loop
    conjugate_gradients.py  H x = b where H is only multiplied by

Not here: which model the comparisons are of (fitting), what stands for the covariance (gaussian).
"""
