/** Calls that wait for an earlier one of their key. */
interface Lines<Call> {
  /** Puts a call behind the locked one of its key. @returns `false` where there is none */
  readonly join: (call: Call) => boolean;
  /** Begins a line for each key of locked calls. @returns the first one of each, and those without a key */
  readonly begin: (locked: readonly Call[]) => readonly Call[];
}

/** How calls of a line are sent. */
interface LineOptions<Call> {
  readonly keyOf: (call: Call) => string | undefined;
  /** Sends a call until it is not locked. */
  readonly send: (call: Call) => void;
  /** Returns the same call, which also calls `onSettled` once it is settled. */
  readonly onSettled: (call: Call, onSettled: () => void) => Call;
}

/**
 * Keeps calls of a key in their order while one of them is locked: it is sent again beside later calls, and one of the same key would
 * overtake it. Of two submissions that replace one another, the earlier one would remain.
 */
export function createLines<Call>({ keyOf, send, onSettled }: LineOptions<Call>): Lines<Call> {
  const lines = new Map<string, Call[]>();
  const leading = (key: string, call: Call): Call =>
    onSettled(call, () => {
      const next = lines.get(key)?.shift();
      if (next === undefined) lines.delete(key);
      else send(leading(key, next));
    });
  const join = (call: Call): boolean => {
    const key = keyOf(call);
    const line = key === undefined ? undefined : lines.get(key);
    line?.push(call);
    return line !== undefined;
  };
  return {
    join,
    begin: (locked) =>
      locked.flatMap((call) => {
        const key = keyOf(call);
        if (key === undefined) return call;
        if (join(call)) return [];
        lines.set(key, []);
        return leading(key, call);
      }),
  };
}
