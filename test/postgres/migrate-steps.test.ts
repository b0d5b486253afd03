import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { BUILD } from '../../packages/postgres/src/schema/migrations.ts';

/** What a released version consists of, by SHA-256. */
interface ReleasedVersion {
  readonly step: string;
  /** All functions and views; known once the version has been released. */
  readonly routines?: string;
}

/**
 * Every version of the schema, version 1 first. Databases in use were made by these steps: an entry whose version has been
 * released is never changed, a later version adds one. A change of functions alone adds an entry with an empty step.
 */
const VERSIONS: readonly ReleasedVersion[] = [
  { step: '145c06c440b5154ab58c1889c4305492be996cb83d4e58e01568fb5532e73440' },
];

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('the steps of the schema', () => {
  it('are those of the versions, no step changed', () => {
    expect(BUILD.steps.map(hash)).toEqual(VERSIONS.map(({ step }) => step));
  });

  it('have one for every released change of a function or view', () => {
    const latest = VERSIONS.at(-1)?.routines;

    expect([undefined, hash(BUILD.routines.join('\n'))]).toContain(latest);
  });

  it('leave the functions to the part that is made anew', () => {
    expect(BUILD.steps.filter((step) => /create (or replace )?(function|view)/.test(step))).toEqual([]);
  });
});

describe('the functions and views of the schema', () => {
  const names = BUILD.routines.map((text) => /^create (?:function|view) (\w+)/.exec(text)?.[1]);

  it('are one definition each, of a name of its own', () => {
    expect(names.length).toBeGreaterThan(40);
    expect(new Set(names).size).toBe(names.length);
    expect(names).not.toContain(undefined);
  });

  it('serve the latest version at least', () => {
    expect(BUILD.servesFrom).toBeLessThanOrEqual(BUILD.steps.length);
  });
});
