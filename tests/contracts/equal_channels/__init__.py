"""Generated incidents, and what each channel tells each party of them."""
