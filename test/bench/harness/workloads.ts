import { quantile } from '../rounds.ts';
import type { Load, Sample, Stage } from './samples.ts';
import { latencies, submit, workOff } from './samples.ts';
import type { Entry } from './tables.ts';

/** A contender, and what its line is called if not by its name. */
export type Named = string | { readonly contender: string; readonly label: string };

/** A line for each contender that works off a backlog. */
export function processing(who: readonly Named[], load: Omit<Load, 'count'>): readonly Entry[] {
  return who.map((one) => entry(one, (stage, count) => workOff(stage, { ...load, count })));
}

/** A line for each contender that submits, in `way` loops or by bulk calls. */
export function submitting(
  who: readonly Named[],
  { way, bytes = 0 }: { readonly way: number | 'bulk'; readonly bytes?: number },
): readonly Entry[] {
  return who.map((one) => entry(one, (stage, count) => submit(stage, { count, bytes, way })));
}

/** A line for each contender that waits for single runs. */
export function waiting(who: readonly Named[]): readonly Entry[] {
  return who.map((one) =>
    entry(one, async (stage, count) => {
      const waits = await latencies(stage, { count, everyMs: 5 });
      return { value: quantile(waits, 0.5), p99: quantile(waits, 0.99) };
    }),
  );
}

function entry(one: Named, take: (stage: Stage, count: number) => Promise<Sample>): Entry {
  return typeof one === 'string' ? { contender: one, take } : { ...one, take };
}
