"""What goes into a bundle of an incident."""
