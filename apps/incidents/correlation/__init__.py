"""From everything known about an attempt to its incident."""
