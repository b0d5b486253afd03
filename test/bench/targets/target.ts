import { median } from '../rounds.ts';

/** What our line is to reach: `≥ 1.4` where more is better, `≤ 1` where less is. */
export type Target = `≥ ${number}` | `≤ ${number}`;

/** Of one table, by the label of the line that ours is divided by. */
export interface Targets {
  readonly rates?: Readonly<Record<string, Target>> | undefined;
  /** Processor time of client and server, per run. */
  readonly cpu?: Readonly<Record<string, Target>> | undefined;
  /** Bytes of write-ahead log, per run. */
  readonly wal?: Readonly<Record<string, Target>> | undefined;
}

/** The targets of all tables whose handlers take time, by their titles. */
export function targetsOfHandling(targets: Targets): Readonly<Record<string, Targets>> {
  return Object.fromEntries(
    [1, 5, 50].flatMap((ms) =>
      [10, 100].map((count) => [`process, handlers of ${ms} ms, ${count} at a time`, targets]),
    ),
  );
}

/** Returns `yes` or `no` for the median of the ratios; nothing where there is no target, or no ratio. */
export function isMet(target: Target | undefined, ratios: readonly number[]): string {
  if (target === undefined || ratios.length === 0) return '';
  const [ratio, limit] = [median(ratios), Number(target.slice(2))];
  return (target.startsWith('≥') ? ratio >= limit : ratio <= limit) ? 'yes' : 'no';
}
