"""What an organization shows others and is shown: agreements, what they say, and acting on them."""
