/** Returns a share in percent: `12.5 %`. */
export function percent(share: number): string {
  return `${Math.round(share * 1_000) / 10} %`;
}

/** Returns a number with its thousands apart: `12 345`. */
export function count(amount: number): string {
  return amount.toLocaleString('en').replaceAll(',', '\u202f');
}

/** Returns a duration as people say it: `850 ms`, `1.5 s`, `27 min`, `3 h 20 min`, `30 h`, `4 days`. */
export function duration(ms: number): string {
  if (!Number.isFinite(ms)) return ms > 0 ? 'no limit' : 'unknown';
  if (Math.round(ms) < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 9_950) return `${Math.round(ms / 100) / 10} s`;
  if (Math.round(ms / 1_000) < 60) return `${Math.round(ms / 1_000)} s`;
  const minutes = Math.round(ms / 60_000);
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 600 && minutes % 60 !== 0) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  if (minutes < 2_880) return `${Math.round(minutes / 60)} h`;
  return `${Math.round(minutes / 1_440)} days`;
}
