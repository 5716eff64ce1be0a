"""What a GPU-hour costs: entered by an admin, so that losses are told in money, too."""
