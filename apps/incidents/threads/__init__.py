"""What an annotation reaches: replies, mentions, who has read it, and open pages."""
