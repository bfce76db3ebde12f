"""Replacements of private parts of Textual 8.2.5 to 8.2.x, one module each.

Each module names what it replaces, the benefits, the upstream issue and when it can go. A canary in the tests of each
module shows that plain Textual still misbehaves: when it fails, the module is no longer needed.
"""
