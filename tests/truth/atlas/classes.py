"""The classes of transformers that take a configuration."""

import importlib
import inspect

from transformers import PreTrainedModel


def modeling_of(config_class):
    """The module that has the models of a configuration's class."""
    return importlib.import_module(config_class.__module__.replace("configuration_", "modeling_"))


def models_of(config):
    """The models of a configuration, those with the shortest names first."""
    module = modeling_of(type(config))
    kinds = (type(config), type(config).__name__)
    found = [
        cls
        for cls in vars(module).values()
        if inspect.isclass(cls)
        and issubclass(cls, PreTrainedModel)
        and cls.__module__ == module.__name__
        and not cls.__name__.endswith("PreTrainedModel")
        and (
            getattr(cls, "config_class", None) in kinds
            or cls.__dict__.get("__annotations__", {}).get("config") in kinds
        )
    ]
    return sorted(found, key=lambda cls: len(cls.__name__))
