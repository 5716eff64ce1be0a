"""Lists that are narrowed by their address: fields, chips, order, pages, and views kept of them."""
