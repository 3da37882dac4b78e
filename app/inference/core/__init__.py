"""What every fit is made of: sums of a log (cells, edges), the design R, and the maximum given them."""
