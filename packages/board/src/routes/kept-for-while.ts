/** Keeps values by their ids for a while: the latest ones, at most. */
export interface KeptForWhile<Value> {
  readonly put: (id: string, value: Value) => void;
  readonly get: (id: string) => Value | undefined;
}

/** @param now - in epoch milliseconds */
export function createKeptForWhile<Value>(
  limits: { readonly count: number; readonly ms: number },
  now: () => number = Date.now,
): KeptForWhile<Value> {
  const kept = new Map<string, { readonly value: Value; readonly until: number }>();
  const forget = (): void => {
    for (const [id, { until }] of kept) if (until <= now() || kept.size > limits.count) kept.delete(id);
  };
  return {
    put: (id, value) => {
      kept.set(id, { value, until: now() + limits.ms });
      forget();
    },
    get: (id) => {
      forget();
      return kept.get(id)?.value;
    },
  };
}
