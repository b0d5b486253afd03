import { fingerprint, readErrorFacts } from '@retry/core/failures';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textProblem } from '../../../packages/core/src/broker/kit/storable/texts.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { hostileMakers, thrownValues } from '../thrown-values.ts';
import { LIBRARY_ERRORS } from './library-errors.ts';

const HEX = '0123456789abcdef';
const BASE_36 = '0123456789abcdefghijklmnopqrstuvwxyz';
const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const BASE_62 = `${BASE_36}ABCDEFGHIJKLMNOPQRSTUVWXYZ`;

/** `FC_NUM_RUNS=2000` makes ten thousand. */
const COUNT = propertyRuns(5);

type Random = () => number;

function text(random: Random, alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet[Math.floor(random() * alphabet.length)]).join('');
}

function uuid(random: Random): string {
  return [8, 4, 4, 4, 12].map((length) => text(random, HEX, length)).join('-');
}

function number(random: Random): number {
  return Math.floor(random() * 10 ** Math.floor(random() * 16));
}

function instant(random: Random): Date {
  return new Date(Math.floor(random() * 4e12));
}

/** Ids and other values that programs put into messages. */
const VALUES: Readonly<Record<string, (random: Random) => string>> = {
  numbers: (random) => String(number(random)),
  'numbers with a sign and a fraction': (random) => String((random() - 0.5) * number(random)),
  'durations with their unit': (random) => `${number(random)}ms`,
  UUIDs: uuid,
  'UUIDs in capitals': (random) => uuid(random).toUpperCase(),
  'ids of 8 hexadecimal digits': (random) => text(random, HEX, 8),
  'object ids': (random) => text(random, HEX, 24),
  'hashes behind 0x': (random) => `0x${text(random, HEX, 40)}`,
  ULIDs: (random) => `01${text(random, CROCKFORD, 24)}`,
  'ids of Stripe': (random) => `cus_1${text(random, BASE_62, 13)}`,
  'names of pods': (random) =>
    `api-${text(random, HEX, 9)}-${text(random, 'bcdfghjklmnpqrstvwxz2456789', 5)}`,
  'names with a number': (random) => `order-${number(random)}`,
  'addresses with a port': (random) =>
    `${Array.from({ length: 4 }, () => Math.floor(random() * 256)).join('.')}:${number(random)}`,
  'instants of ISO 8601': (random) => instant(random).toISOString(),
  'instants of HTTP': (random) => instant(random).toUTCString(),
  'dates as they are shown in America': (random) =>
    instant(random).toLocaleString('en-US', { timeZone: 'UTC' }),
  'lists of numbers': (random) =>
    Array.from({ length: 1 + Math.floor(random() * 20) }, () => number(random)).join(', '),
  'quoted text': (random) => `"${text(random, `${BASE_62} .,:/@'(`, Math.floor(random() * 30))}"`,
  'addresses of mail': (random) => `${text(random, BASE_36, 8)}.x@${text(random, BASE_36, 5)}.example.com`,
  URLs: (random) =>
    `https://${text(random, BASE_36, 5)}.example.com/${text(random, BASE_62, 9)}?a=${number(random)}`,
  paths: (random) => `/var/${text(random, BASE_36, 9)}/${text(random, BASE_36, 4)}.log`,
  'paths of Windows': (random) => `C:\\data\\${text(random, BASE_62, 9)}.log`,
};

const TEMPLATES: Readonly<Record<string, (value: string) => string>> = {
  'in the middle': (value) => `order ${value} cannot be shipped`,
  'at the end': (value) => `cannot ship ${value}`,
  'in brackets': (value) => `not shipped (${value}), giving up`,
};

function titlesOf(make: (random: Random) => string): ReadonlySet<string> {
  const random = seededRandom(18);
  return new Set(Array.from({ length: 200 }, () => fingerprint(new Error(make(random))).title));
}

describe('fingerprint', () => {
  it.each(Object.keys(VALUES))('is one for a thousand random %s in one template', (kind) => {
    const value = VALUES[kind] ?? String;
    const ids = new Set<string>();
    const random = seededRandom(18);
    for (let count = 0; count < COUNT; count += 1) {
      ids.add(fingerprint(new Error(`order ${value(random)} cannot be shipped`)).id);
    }

    expect(ids.size).toBe(1);
  });

  it.each(
    Object.keys(VALUES).flatMap((kind) => Object.keys(TEMPLATES).map((place) => [kind, place] as const)),
  )('is one for random %s %s', (kind, place) => {
    const [value = String, template = String] = [VALUES[kind], TEMPLATES[place]];

    expect([...titlesOf((random) => template(value(random)))]).toHaveLength(1);
  });

  it('is one for 998 of 1000 random ids of letters, digits, - and _, some of which have no digit', () => {
    const random = seededRandom(18);
    const titles = Array.from(
      { length: COUNT },
      () => fingerprint(new Error(`order ${text(random, `${BASE_62}_-`, 21)} cannot be shipped`)).title,
    );

    const others = titles.filter((title) => title !== 'Error: order # cannot be shipped');
    expect(others.length).toBeLessThanOrEqual(COUNT / 500);
  });

  it('differs for more than 300 errors of 20 libraries, each from every other', () => {
    const titles = new Map(LIBRARY_ERRORS.map((error) => [fingerprint(error).id, error.message]));

    expect(new Set(LIBRARY_ERRORS.map(({ library }) => library)).size).toBe(20);
    expect(LIBRARY_ERRORS.length).toBeGreaterThanOrEqual(300);
    expect(LIBRARY_ERRORS.filter(({ message }) => ![...titles.values()].includes(message))).toEqual([]);
    expect(titles.size).toBe(LIBRARY_ERRORS.length);
  });

  it('is the same for the errors of libraries with other numbers in their messages', () => {
    fc.assert(
      fc.property(fc.constantFrom(...LIBRARY_ERRORS), fc.integer({ min: 0, max: 1e9 }), (error, other) => {
        const message = error.message.replaceAll(/\d+/g, String(other));

        expect(fingerprint({ ...error, message })).toEqual(fingerprint(error));
      }),
      { numRuns: propertyRuns(5) },
    );
  });

  it('is the same for an error and for what is stored of it', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.string({ minLength: 1 }),
        fc.constantFrom('E1', 7, undefined),
        (message, name, code) => {
          const cause = Object.assign(new Error('inner'), { code });
          const error = Object.assign(new Error(message === '' ? 'x' : message, { cause }), {
            name,
            status: 503,
          });
          const stored = { epoch: 1, at: 0, name, message: error.message, ...readErrorFacts(error, 0) };

          expect(fingerprint(stored)).toEqual(fingerprint(error));
        },
      ),
    );
  });

  it('has an id of 16 hexadecimal digits, and a title of one line that every broker can store', () => {
    const messages = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ maxLength: 9_000, size: 'max' }));
    fc.assert(
      fc.property(messages, fc.string({ unit: 'binary' }), messages, (message, name, code) => {
        const { id, title } = fingerprint({ name, message, code });

        expect(id).toMatch(/^[0-9a-f]{16}$/);
        expect(textProblem(title)).toBeUndefined();
        expect(title).toMatch(/^[^\p{Cc}]{1,160}$/u);
      }),
    );
  });

  it('never throws, whatever is thrown', () => {
    fc.assert(
      fc.property(thrownValues, hostileMakers, (value, make) => {
        expect(fingerprint(value).title).not.toBe('');
        expect(fingerprint(make()).title).not.toBe('');
        expect(readErrorFacts(make(), 0)).toBeTypeOf('object');
      }),
    );
  });

  it('shows no password', () => {
    const secrets = fc
      .stringMatching(/^[a-z]{9,20}$/)
      .filter((secret) => !'password hidden'.includes(secret));
    const templates = fc.constantFrom<(secret: string) => string>(
      (secret) => `cannot reach postgres://app:${secret}@db/shop today`,
      (secret) => `cannot reach amqp://${secret}@db`,
      (secret) => `refused password=${secret} of the user`,
      (secret) => `sent {"token": "${secret}", "a": 1}`,
      (secret) => `wrong secret: ${secret}`,
      (secret) => `PWD=${secret};Server=a`,
    );
    fc.assert(
      fc.property(secrets, templates, (secret, template) => {
        expect(fingerprint(new Error(template(secret))).title).not.toContain(secret);
        expect(
          fingerprint({ name: template(secret), code: template(secret), message: '' }).title,
        ).not.toContain(secret);
        expect(fingerprint(template(secret)).id).toBe(fingerprint(template('anothersecret')).id);
      }),
    );
  });
});
