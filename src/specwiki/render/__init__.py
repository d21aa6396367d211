"""Pure: data in, text out."""
