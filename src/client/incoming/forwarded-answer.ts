const forwarded = new WeakSet<object>();

/** Marks the answer of another client's user, which reaches the server as it is. */
export function markForwarded<Answer>(answer: Answer): Answer {
  if (typeof answer === "object" && answer !== null) forwarded.add(answer);
  return answer;
}

export function isForwarded(answer: object): boolean {
  return forwarded.has(answer);
}
