"""What torchft, NVRx and TorchElastic tell of recovering → the events of the contract."""
