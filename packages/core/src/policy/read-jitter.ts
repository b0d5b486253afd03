import { useOneOf } from '../fields/cures.ts';
import type { Fields, Report } from '../fields/fields.ts';
import { readFields } from '../fields/fields.ts';
import { A_SHARE, FINITE_AT_LEAST_0, type NumberRule } from '../fields/value-rules.ts';
import type { Jitter, JitterInput } from './delays.ts';
import { JITTER_NAMES } from './delays.ts';
import type { ServerDelayRule } from './policy.ts';

/** The keys of the jitters that are objects. */
type ReachKey = JitterInput extends infer Input ? (Input extends string ? never : keyof Input) : never;

/** How each key is read; as a `Record` of the type's keys, none can be forgotten. */
const READERS: Readonly<Record<ReachKey, (fields: Fields) => object>> = {
  proportional: (fields) =>
    share(fields, 'proportional', { ...A_SHARE, cure: 'Use { proportional: 0.1 } for ± 10 %.' }),
  down: (fields) => share(fields, 'down', { ...A_SHARE, cure: 'Use { down: 0.3 } for up to 30 % less.' }),
  up: readUp,
  minus: time('minus'),
  plus: time('plus'),
  increment: time('increment'),
};

const KEYS = Object.keys(READERS) as readonly ReachKey[]; // the keys of a Record are its key type

/** The keys that may be written together, and the one that each of them needs. */
const TOGETHER: readonly (readonly ReachKey[])[] = [
  ['proportional'],
  ['down', 'up'],
  ['plus', 'minus', 'increment'],
];

const A_JITTER = useOneOf([
  ...JITTER_NAMES,
  '{ proportional: 0.1 }',
  '{ down: 0.3 }',
  '{ up: 0.2 }',
  "{ plus: '1s' }",
]);

/** Other libraries switch jitter on and off, give its share alone, or take for a jitter what is a backoff. */
function jitterCure(given: unknown): string {
  if (given === 'decorrelated') return "Use backoff: { type: 'decorrelated', base: '1s' }.";
  if (typeof given === 'boolean') return `Use '${given ? 'full' : 'none'}'.`;
  if (typeof given === 'number' && A_SHARE.accepts(given)) return `Use { proportional: ${given} }.`;
  return A_JITTER;
}

/** Reads `jitter`: a name, or an object with one key, or with several that belong together. */
export function readJitter(policy: Fields, fallback: Jitter, report: Report): Jitter {
  const given = policy.value('jitter');
  if (given === undefined) return fallback;
  if (typeof given !== 'object' || given === null) {
    return policy.choice<(typeof JITTER_NAMES)[number]>('jitter', 'none', JITTER_NAMES, jitterCure(given));
  }
  const fields = readFields(given, policy.path('jitter'), { keys: KEYS, report });
  if (fields === undefined) return fallback;
  const written = KEYS.filter((key) => fields.value(key) !== undefined);
  if (written.length === 0) return Object.freeze(READERS.proportional(fields)) as Jitter; // reports that it is missing
  if (!TOGETHER.some((keys) => written.every((key) => keys.includes(key)))) {
    policy.fail('jitter', 'must have one key only', useOneOf(written));
  } else if (written.includes('increment') && !written.includes('plus')) {
    fields.fail('increment', 'must have plus beside it', "Use { plus: '9s', increment: '10s' }.");
  }
  return Object.freeze(Object.assign({}, ...written.map((key) => READERS[key](fields)))) as Jitter; // its keys
}

/** A tenth: callers that are answered `Retry-After: 2` return within 200 ms, instead of all at the same time. */
const A_TENTH = Object.freeze({ up: 0.1 });

/** Reads the jitter of a server's delay: `none`, or one that only makes it longer. */
export function readServerJitter(fields: Fields | undefined, report: Report): ServerDelayRule['jitter'] {
  const given = fields?.value('jitter');
  if (fields === undefined || given === undefined) return A_TENTH;
  if (typeof given !== 'object' || given === null) {
    return fields.choice<'none'>('jitter', 'none', ['none'], "Use 'none', { up: 0.1 } or { plus: '1s' }.");
  }
  const keys = ['up', 'plus'] as const;
  const inner = readFields(given, fields.path('jitter'), { keys, report });
  if (inner === undefined) return A_TENTH;
  const written = keys.filter((key) => inner.value(key) !== undefined);
  if (written.length > 1) fields.fail('jitter', 'must have one key only', useOneOf(written));
  return Object.freeze(READERS[written[0] ?? 'up'](inner)) as ServerDelayRule['jitter']; // its keys
}

function readUp(fields: Fields): object {
  return share(fields, 'up', { ...FINITE_AT_LEAST_0, cure: 'Use { up: 0.2 } for up to 20 % more.' });
}

/** Plus 0, as -0 would not survive JSON. */
function share(fields: Fields, key: ReachKey, rule: NumberRule): object {
  return { [key]: fields.number(key, undefined, rule) + 0 };
}

function time(key: ReachKey): (fields: Fields) => object {
  return (fields) => ({ [`${key}Ms`]: fields.duration(key, undefined, { finite: true }) });
}
