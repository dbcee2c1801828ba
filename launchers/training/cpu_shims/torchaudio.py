"""Stands for torchaudio, which LlamaFactory imports and text does not need."""
