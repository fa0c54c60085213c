"""Mutation testing of `reference/`: would its tests notice a typo?"""
