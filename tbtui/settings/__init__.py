"""Settings of the app and of its dashboards: values, defaults, parsing, persistence. Imports no Textual."""
