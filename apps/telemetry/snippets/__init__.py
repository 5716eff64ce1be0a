"""What a sender pastes to send here: one text an agent, filled with where, what and with which."""
