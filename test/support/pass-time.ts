/** Lets at least this many milliseconds pass. A timer of Node may fire up to one too early, and brokers count whole ones. */
export async function passTime(ms: number): Promise<void> {
  const until = performance.now() + ms;
  for (let leftMs = ms; leftMs > 0; leftMs = until - performance.now())
    await new Promise((resolve) => setTimeout(resolve, leftMs));
}
