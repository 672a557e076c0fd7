"""The tool that the examples offer a model, as most SDKs take it."""

TOOLS = [
    {
        "name": "get_weather",
        "description": "Get the forecast of a city for the next days. Use it when the user asks about weather.",
        "parameters": {
            "type": "object",
            "properties": {
                "city": {"type": "string", "description": "Name of the city, e.g. Oslo."},
                "days": {"type": "integer", "description": "How many days.", "minimum": 1, "maximum": 7},
            },
            "required": ["city"],
        },
    }
]
