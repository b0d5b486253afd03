const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const;

/** Returns a time span in its largest whole unit: `45s`, `12m`, `30h`, `9d`; of hours and minutes there are at least two. */
export function ageText(ms: number): string {
  const unit = UNITS.find(([name, size]) => ms >= (name === 's' ? size : size * 2));
  if (unit === undefined)
    return ms < 1_000 ? `${Math.max(Math.round(ms), 0)}ms` : `${Math.floor(ms / 1_000)}s`;
  const [name, size] = unit;
  return `${Math.floor(ms / size)}${name}`;
}

/** Returns an instant for people: `2026-01-01 12:00:00Z`; `-` for none. */
export function instantText(at: number | undefined): string {
  return at === undefined ? '-' : `${new Date(at).toISOString().slice(0, -5).replace('T', ' ')}Z`;
}
