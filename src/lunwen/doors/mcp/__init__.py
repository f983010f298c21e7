"""The door for agents: tools of the Model Context Protocol, over standard input and output or HTTP."""
