"""What is answered at each address: a room for each part of the product, with its addresses."""
