/** Keeps values by their ids for a while: the latest ones, at most. */
export interface KeptForWhile<Value> {
  readonly put: (id: string, value: Value) => void;
  readonly get: (id: string) => Value | undefined;
  /** Returns what is kept, or else reads it and keeps it. What is read as `undefined` is not kept. */
  readonly getOr: <Read extends Value | undefined>(
    id: string,
    read: () => Promise<Read>,
  ) => Promise<Value | Read>;
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
  const put = (id: string, value: Value): void => {
    kept.set(id, { value, until: now() + limits.ms });
    forget();
  };
  const get = (id: string): Value | undefined => {
    forget();
    return kept.get(id)?.value;
  };
  return {
    put,
    get,
    getOr: async (id, read) => {
      const known = get(id);
      if (known !== undefined) return known;
      const value = await read();
      if (value !== undefined) put(id, value);
      return value;
    },
  };
}
