import type { Fields, Report } from '../../fields/fields.ts';
import { readFields } from '../../fields/fields.ts';
import { countFrom, FINITE_AT_LEAST_0, integerFrom } from '../../fields/value-rules.ts';
import { MAX_ITEMS, read } from '../../read.ts';
import type { RatePoint, Traffic } from './world.ts';

const NO_TRAFFIC: Traffic = { type: 'open', rates: [] };

const CURE =
  "Use { perSecond: 100 } for users, or { type: 'closed', clients: 100 } for clients that wait for answers.";

const A_RATE = {
  ...FINITE_AT_LEAST_0,
  cure: 'Use 100 for a hundred calls a second, or a list of { at, perSecond }.',
};

/** Reads who calls. Returns no traffic after a problem was reported. */
export function readTraffic(value: unknown, report: Report): Traffic {
  if (value === undefined) {
    report({ path: 'traffic', value, message: 'is missing', cure: CURE });
    return NO_TRAFFIC;
  }
  const isClosed = read(value, 'type') === 'closed';
  const keys = isClosed ? ['type', 'clients', 'calls', 'pause'] : ['type', 'perSecond'];
  const fields = readFields(value, 'traffic', { keys, report });
  if (fields === undefined) return NO_TRAFFIC;
  if (isClosed) return readClosed(fields);
  fields.choice('type', 'open', ['open', 'closed']);
  return { type: 'open', rates: readRates(fields, report) };
}

function readClosed(fields: Fields): Traffic {
  return {
    type: 'closed',
    clients: fields.number('clients', undefined, integerFrom(1, 'Use 100 for a hundred clients.')),
    calls: fields.number('calls', Infinity, countFrom(1, 'Use 1 for one call of each client.')),
    pauseMs: fields.duration('pause', 0, { finite: true }),
  };
}

function readRates(fields: Fields, report: Report): readonly RatePoint[] {
  const given = fields.value('perSecond');
  if (!Array.isArray(given)) {
    return [{ atMs: 0, perSecond: fields.number('perSecond', undefined, A_RATE) }];
  }
  const rates = (given.length > MAX_ITEMS ? [] : given).map((point: unknown, index) =>
    readRate(point, `traffic.perSecond[${index}]`, report),
  );
  const isUnordered = rates.some(({ atMs }, index) => atMs < (rates[index - 1]?.atMs ?? 0));
  if (rates.length === 0 || isUnordered) {
    fields.fail('perSecond', 'must be points in the order of their at, 1 to 10000', A_RATE.cure);
  }
  return rates;
}

function readRate(value: unknown, path: string, report: Report): RatePoint {
  const fields = readFields(value, path, { keys: ['at', 'perSecond'], report });
  return {
    atMs: fields?.duration('at', undefined, { finite: true }) ?? 0,
    perSecond: fields?.number('perSecond', undefined, A_RATE) ?? 0,
  };
}
