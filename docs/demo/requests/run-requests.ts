import { formatDuration } from '@retry/core';
import { checkClaims } from './claims.ts';
import type { FlakyServer } from './flaky-server.ts';
import { startFlakyServer } from './flaky-server.ts';
import { LIMITS } from './policy.ts';
import { createProgress } from './progress.ts';
import { formatReport } from './report.ts';
import { sendRequests } from './send-requests.ts';

const REQUESTS = 200;
const CONCURRENCY = 10;

/** Sends 200 real requests to a flaky server. @returns whether every claim about the run holds */
export async function runRequests(seed: number): Promise<boolean> {
  const server = await startFlakyServer(seed);
  try {
    printHeading(server, seed);
    const paths = Array.from({ length: REQUESTS }, (_, index) => `/orders/${index + 1}`);
    const onSettled = createProgress(process.stdout);
    const records = await sendRequests({ origin: server.origin, paths, concurrency: CONCURRENCY, onSettled });

    for (const line of formatReport(records)) console.log(line);
    console.log();
    const claims = checkClaims(records, server.countAttempts());
    for (const { text, holds } of claims) console.log(`${holds ? '✓' : '✗ NOT TRUE:'} ${text}`);
    return claims.every(({ holds }) => holds);
  } finally {
    await server.close();
  }
}

function printHeading({ origin }: FlakyServer, seed: number): void {
  const { maxAttempts, attemptTimeout, backoff, jitter } = LIMITS;
  const limits = `up to ${maxAttempts} attempts of at most ${formatDuration(attemptTimeout)}`;
  console.log(`${REQUESTS} requests to a flaky server at ${origin}, ${CONCURRENCY} at a time, seed ${seed}`);
  console.log(`each through withRetry: ${limits}, ${backoff.type} backoff, ${jitter} jitter\n`);
}
