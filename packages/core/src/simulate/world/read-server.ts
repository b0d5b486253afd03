import { useOneOf } from '../../fields/cures.ts';
import type { Report } from '../../fields/fields.ts';
import { readFields } from '../../fields/fields.ts';
import { read } from '../../read.ts';
import type { Server } from './world.ts';

const KEYS: Readonly<Record<Server['type'], readonly string[]>> = {
  capacity: ['type', 'perSecond', 'latency', 'queue'],
  concurrency: ['type', 'latency', 'perRequest'],
  'optimistic-lock': ['type'],
};

const TYPES = Object.keys(KEYS) as readonly Server['type'][]; // the keys of a Record are its key type

const LOCK: Server = { type: 'optimistic-lock' };

/** Reads what is called. Returns some server after a problem was reported. */
export function readServer(value: unknown, report: Report): Server {
  const type = TYPES.find((known) => known === read(value, 'type'));
  const keys = type === undefined ? [...new Set(Object.values(KEYS).flat())] : KEYS[type];
  const fields = readFields(value, 'server', { keys, report });
  if (fields === undefined) return LOCK;
  const finite = (key: string): number => fields.duration(key, undefined, { finite: true });
  switch (type) {
    case 'capacity':
      return {
        type,
        perSecond: fields.number('perSecond', undefined, A_CAPACITY),
        latencyMs: fields.duration('latency', 0, { finite: true }),
        queueMs: fields.duration('queue', 1_000),
      };
    case 'concurrency':
      return { type, latencyMs: finite('latency'), perRequestMs: finite('perRequest') };
    case 'optimistic-lock':
      return LOCK;
    case undefined:
      fields.fail('type', 'is not a kind of server', useOneOf(TYPES));
      return LOCK;
  }
}

const A_CAPACITY = {
  accepts: (perSecond: number): boolean => perSecond > 0,
  message: 'must be a number > 0 or Infinity',
  cure: "Use 1000 for a thousand requests a second, or 'Infinity'.",
};
