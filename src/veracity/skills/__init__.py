"""Skills: tasks as configuration. A YAML file says what to do, with which tools, and what the output has to be."""
