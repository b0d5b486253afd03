import type { Run } from '../run.ts';

/** What few runs were submitted with besides lane and payload. Stores keep it as one text, which never changes. */
export type Extras = Pick<Run, 'retry' | 'origin'>;

/** Returns the text in which a store keeps a submission's extras; `undefined` for one without any. */
export function writeExtras({ retry, origin }: Extras): string | undefined {
  return retry === undefined && origin === undefined ? undefined : JSON.stringify({ retry, origin });
}

/** Returns the extras that `writeExtras` wrote; none for any other text. */
export function readExtras(text: string | null | undefined): Extras {
  if (!text) return {};
  try {
    const { retry, origin }: Record<string, unknown> = JSON.parse(text) ?? {};
    return {
      ...(typeof retry === 'string' && { retry }),
      ...(typeof origin === 'string' && { origin }),
    };
  } catch {
    return {}; // written by another program
  }
}
