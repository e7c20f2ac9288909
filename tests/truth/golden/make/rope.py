"""Rotary embeddings: tables of cosines and sines, then rotations by them."""

import rope_rotations
import rope_tables


def make(topic):
    rope_tables.make(topic)
    rope_rotations.make(topic)
