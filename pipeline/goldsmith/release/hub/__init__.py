"""Releases on the Hugging Face Hub: one commit and one tag for each version."""
