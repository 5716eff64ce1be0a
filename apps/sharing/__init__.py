"""What organizations agree to show each other, and how it is shown."""
