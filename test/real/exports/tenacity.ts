import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { PolicyInput } from '@retry/core';
import { folder, report } from '../installed.ts';
import { compareDrawn, exportedTo } from './compare.ts';

const EXPONENTIAL = { type: 'exponential', base: '1s' } as const;

const POLICIES: readonly PolicyInput[] = [
  { maxAttempts: 5, backoff: EXPONENTIAL, jitter: 'none' },
  { maxAttempts: 9, backoff: EXPONENTIAL, jitter: 'none', maxDelay: '10s' },
  { maxAttempts: 5, backoff: EXPONENTIAL, jitter: 'full', maxDelay: 'Infinity' },
  { maxAttempts: 9, backoff: EXPONENTIAL, jitter: 'full', maxDelay: '10s' },
  { maxAttempts: 7, backoff: { ...EXPONENTIAL, base: 100, factor: 3 }, jitter: 'full', maxDelay: '1m' },
  { maxAttempts: 4, backoff: { type: 'constant', base: '3s' }, jitter: 'none' },
  { maxAttempts: 4, backoff: { type: 'constant', base: '3s' }, jitter: 'full' },
  { maxAttempts: 3, backoff: { type: 'none' } },
  { maxAttempts: 1 },
  { maxAttempts: 12, backoff: { ...EXPONENTIAL, base: 250, factor: 1.5 }, jitter: 'none', maxDelay: '1h' },
];

/** What its generator draws, as a part of the range. */
const DRAWN = [0, 0.25, 1 - 2 ** -53];

const VERSION = '9.1.4';

/** tenacity: the seconds that it would sleep, with the same number drawn each time. */
export async function checkTenacity(): Promise<void> {
  const python = install();
  if (python === undefined) return console.log(`tenacity@${VERSION}: not run, it cannot be installed here`);
  const given = exportedTo('tenacity', POLICIES);
  const output = execFileSync(python, [join(import.meta.dirname, 'run-tenacity.py')], {
    input: JSON.stringify({ drawn: DRAWN, given: given.map(({ options }) => options) }),
  });
  const recorded: readonly (readonly (readonly number[])[])[] = JSON.parse(String(output));
  const found = given.flatMap((each, index) =>
    DRAWN.flatMap((drawn, nth) =>
      compareDrawn(each, drawn, recorded[index]?.[nth]?.map((seconds) => seconds * 1_000) ?? []),
    ),
  );
  report(`${given.length} policies in tenacity@${VERSION}`, found);
}

/** Makes a virtual environment beside the installed packages, and returns its Python. */
function install(): string | undefined {
  const environment = join(folder, 'python');
  const python = join(environment, 'bin', 'python');
  try {
    execFileSync('python3', ['-m', 'venv', environment], { stdio: 'ignore' });
    execFileSync(python, ['-m', 'pip', 'install', '--quiet', `tenacity==${VERSION}`], { stdio: 'ignore' });
    return python;
  } catch {
    return undefined;
  }
}
