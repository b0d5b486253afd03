import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { PolicyInput } from '@retry/core';
import { report } from '../installed.ts';
import { compareDelays, exportedTo } from './compare.ts';

const EXPONENTIAL = { type: 'exponential', base: '1s' } as const;

const POLICIES: readonly PolicyInput[] = [
  { maxAttempts: 5, backoff: EXPONENTIAL, jitter: 'none' },
  { maxAttempts: 9, backoff: EXPONENTIAL, jitter: 'none', maxDelay: '10s' },
  { maxAttempts: 4, backoff: { type: 'list', delays: ['1s', '5s', '10s'] }, jitter: 'none' },
  { maxAttempts: 6, backoff: { type: 'list', delays: ['10s', '1s'] }, jitter: 'none' },
  { maxAttempts: 5, backoff: { type: 'linear', base: '7s' }, jitter: 'none' },
  { maxAttempts: 7, backoff: { type: 'fibonacci', base: '2s' }, jitter: 'none' },
  { maxAttempts: 3, backoff: { type: 'none' } },
  { maxAttempts: 1 },
  { maxAttempts: 2, backoff: { type: 'constant', base: '1d' }, jitter: 'none', maxDelay: '1d' },
  { maxAttempts: 25, backoff: { type: 'polynomial', base: '1s', exponent: 2 }, jitter: 'none' },
];

/** Jobs of Laravel: the seconds after which its worker releases each. */
export async function checkLaravel(): Promise<void> {
  const version = findVersion();
  if (version === undefined) {
    return console.log(
      'Laravel: not run, there is no php with illuminate/queue here (php-illuminate-queue of Debian)',
    );
  }
  const given = exportedTo('laravel', POLICIES);
  const output = execFileSync('php', [join(import.meta.dirname, 'run-laravel.php')], {
    input: JSON.stringify(given.map(({ options }) => options)),
  });
  const recorded: readonly (readonly number[])[] = JSON.parse(String(output));
  const found = given.flatMap((each, index) => {
    const delays = (recorded[index] ?? []).map((seconds) => seconds * 1_000);
    // The second may change between the two readings of the clock.
    return compareDelays(each, delays, { belowMs: 0, aboveMs: 1_000 });
  });
  report(`${given.length} policies in Laravel ${version}`, found);
}

function findVersion(): string | undefined {
  const files = ['Bus', 'Events', 'Queue'].map((name) => `require 'Illuminate/${name}/autoload.php';`);
  try {
    execFileSync('php', ['-r', files.join(' ')], { stdio: 'ignore' });
    const shown = execFileSync('dpkg-query', ['--show', 'php-illuminate-queue']);
    return String(shown).trim().split('\t')[1];
  } catch {
    return undefined;
  }
}
