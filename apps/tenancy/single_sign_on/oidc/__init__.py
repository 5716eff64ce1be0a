"""OpenID Connect: what a provider publishes, its tokens, the way there and back."""
