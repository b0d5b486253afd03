import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type Score, scoreClients, scoreScenes } from './score.ts';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));

function sum(scores: readonly Score[], of: (score: Score) => number): number {
  return scores.reduce((total, score) => total + of(score), 0);
}

describe('errors that were recorded of real drivers', () => {
  const scores = scoreScenes(FOLDER);

  it('decides right about no fewer than before', () => {
    expect(sum(scores, ({ right }) => right)).toBeGreaterThanOrEqual(1_366);
  });

  it('takes no more permanent errors for transient ones than before', () => {
    expect(sum(scores, ({ lists }) => lists.wrong.length)).toBeLessThanOrEqual(11);
  });
});

describe('the halves', () => {
  it('take nothing that may have been applied for what was not', () => {
    expect(scoreScenes(FOLDER).flatMap(({ lists }) => lists.repeated)).toEqual([]);
  });
});

describe('errors that were recorded of real clients', () => {
  const scores = scoreClients(FOLDER);

  it('misses no more failures than before', () => {
    expect(sum(scores, ({ lists }) => lists.missed.length)).toBeLessThanOrEqual(56);
  });

  it('matches no 400, 401, 403, 404 or 409, no refused certificate, and no unknown host', () => {
    expect(scores.flatMap(({ file, lists }) => lists.wrong.map((name) => `${file} ${name}`))).toEqual([]);
  });

  it('finds each delay of a server that is anywhere in the error', () => {
    expect(sum(scores, ({ delays = 0 }) => delays)).toBeGreaterThanOrEqual(110);
    expect(scores.flatMap(({ file, lists }) => lists.delayMissed.map((name) => `${file} ${name}`))).toEqual(
      [],
    );
  });
});
