"""Floor 3: a model id → what it means, what the model can do, how to ask it. Each fact keeps its source."""
