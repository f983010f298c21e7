"""What a paper is, where papers come from, how they are kept."""
