"""What parties changed in a cluster: the list, and the form to write a change down."""
