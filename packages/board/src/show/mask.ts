import { HIDDEN, hideSecrets, isSecret } from '@retry/core/broker/kit';
import type { ErrorLog } from '../access/error-log.ts';
import { whenRejected } from '../access/error-log.ts';

/** What is about to be shown. */
export interface Maskable {
  /** `payload` and `result` are JSON values; `message` (titles of error groups included) and `stack` are text. */
  readonly kind: 'payload' | 'result' | 'message' | 'stack';
  /** The name of the run's task. */
  readonly task: string;
  /** The version of that task; `''` where the lane is not `name@version`. */
  readonly version: string;
  /** The whole of it: what is long is cut after it was masked. */
  readonly value: unknown;
}

/** Returns at once what of a value may be shown: a JSON value, or text where text was given. */
export type Mask = (shown: Maskable) => unknown;

/** Shown where a mask failed: nothing of the value. */
const UNSHOWN = '(the mask of the board failed)';

/** Creates the mask of a board from that of its options. It never throws. */
export function createMask(mask: Mask | undefined, errors: ErrorLog): Mask {
  return (shown) => {
    try {
      const masked = (mask ?? maskByDefault)(shown);
      if (typeof (Object(masked) as { readonly then?: unknown }).then === 'function') {
        whenRejected(masked, () => {}); // it is reported below, once
        throw new TypeError('mask must answer at once, and returned a promise');
      }
      const isText = shown.kind === 'message' || shown.kind === 'stack';
      if (isText && typeof masked !== 'string') throw new TypeError('mask returned no text');
      return masked;
    } catch (error) {
      errors.report(error, 'calling mask');
      return UNSHOWN;
    }
  };
}

/** Beyond this depth nothing is shown. */
const MAX_DEPTH = 100;

function maskByDefault({ value }: Maskable): unknown {
  return maskValue(value, 0);
}

function maskValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return hideSecrets(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === MAX_DEPTH) return HIDDEN;
  if (Array.isArray(value)) return value.map((item) => maskValue(item, depth + 1));
  const entries = Object.entries(value).map(([key, item]) => [
    key,
    isSecret(key, item) ? HIDDEN : maskValue(item, depth + 1),
  ]);
  return Object.fromEntries(entries);
}
