"""The board of explanations: for, against, missing, ruled out."""
