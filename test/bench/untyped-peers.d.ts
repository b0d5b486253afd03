/** The two peers that bring no types; only what benchmarks and tests call. */
declare module 'retry' {
  interface Operation {
    attempt(run: () => void): void;
    retry(error: unknown): boolean;
  }
  export function operation(options: object): Operation;
  export function createTimeout(attempt: number, options: object): number;
  export function timeouts(options: object): readonly number[];
}

declare module 'async-retry' {
  function retry<T>(run: () => Promise<T>, options: object): Promise<T>;
  export = retry;
}
