"""What every fit is made of: sums of a log (cells, edges), and the maximum given them."""
