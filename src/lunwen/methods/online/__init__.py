"""Playing round by round against an adversary: regret, and constraints kept on the way."""
