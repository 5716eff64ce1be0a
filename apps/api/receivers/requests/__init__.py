"""What every receiver does with a request: who sends, what it holds, how it is refused."""
