"""What is said of the answer: the story, what is missing, what to do."""
