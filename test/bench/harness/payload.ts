/** The data of a payload: a few fields, or a list of them of `bytes` bytes of JSON. */
export function makeData(bytes: number): unknown {
  const row = (index: number): object => ({ id: 100_000 + index, to: 'ada@example.com', part: 'welcome' });
  if (bytes === 0) return row(0);
  const length = Math.max(1, Math.round(bytes / (JSON.stringify(row(0)).length + 1)));
  return Array.from({ length }, (_, index) => row(index));
}

/** How many runs a bulk call takes: 1 000, or about a mebibyte. */
export function chunkOf(bytes: number): number {
  return Math.max(1, Math.min(1_000, Math.floor(2 ** 20 / Math.max(bytes, 1))));
}
