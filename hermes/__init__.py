"""Hermes Gadget as a platform of Hermes Agent. `register` is all that the gateway calls; it opens nothing."""

from .plugin import register

__all__ = ["register"]
