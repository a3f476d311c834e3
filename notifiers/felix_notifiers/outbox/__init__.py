"""The outbox: claim due notices, write them as letters, send, hold or drop those."""
