import { useOneOf } from '../fields/cures.ts';
import type { Fields, Report } from '../fields/fields.ts';
import { readFields } from '../fields/fields.ts';
import { A_SHARE } from '../fields/value-rules.ts';
import type { Jitter, JitterInput } from './policy.ts';
import { JITTER_NAMES } from './policy.ts';

/** The keys of the jitters that are objects. */
type ReachKey = JitterInput extends infer Input ? (Input extends string ? never : keyof Input) : never;

/** How each key is read; as a `Record` of the type's keys, none can be forgotten. */
const READERS: Readonly<Record<ReachKey, (fields: Fields) => Jitter>> = {
  proportional: (fields) => ({
    proportional: readShare(fields, 'proportional', 'Use { proportional: 0.1 } for ± 10 %.'),
  }),
  down: (fields) => ({ down: readShare(fields, 'down', 'Use { down: 0.3 } for up to 30 % less.') }),
  plusMinus: (fields) => ({ plusMinusMs: fields.duration('plusMinus', undefined, { finite: true }) }),
};

const KEYS = Object.keys(READERS) as readonly ReachKey[]; // the keys of a Record are its key type

const A_JITTER = useOneOf([...JITTER_NAMES, '{ proportional: 0.1 }', '{ down: 0.3 }', "{ plusMinus: '1s' }"]);

/** Reads `jitter`: a name, or an object with one key. */
export function readJitter(policy: Fields, fallback: 'none' | 'full', report: Report): Jitter {
  const given = policy.value('jitter');
  if (typeof given !== 'object' || given === null) {
    return policy.choice<(typeof JITTER_NAMES)[number]>('jitter', fallback, JITTER_NAMES, A_JITTER);
  }
  const fields = readFields(given, 'jitter', { keys: KEYS, report });
  if (fields === undefined) return fallback;
  const written = KEYS.filter((key) => fields.value(key) !== undefined);
  if (written.length > 1) policy.fail('jitter', 'must have one key only', useOneOf(written));
  return Object.freeze(READERS[written[0] ?? 'proportional'](fields));
}

/** Plus 0, as -0 would not survive JSON. */
function readShare(fields: Fields, key: ReachKey, cure: string): number {
  return fields.number(key, undefined, { ...A_SHARE, cure }) + 0;
}
