"""SAML 2.0: what is exchanged with a provider, read strictly; its libraries are an extra."""
