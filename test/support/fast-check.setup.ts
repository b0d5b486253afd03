import fc from 'fast-check';

const numRuns = Number(process.env['FC_NUM_RUNS'] ?? (process.env['RETRY_TESTS'] === 'quick' ? 50 : 200));
if (!Number.isInteger(numRuns) || numRuns < 1) {
  throw new Error(`FC_NUM_RUNS must be an integer ≥ 1, got ${process.env['FC_NUM_RUNS']}.`);
}

fc.configureGlobal({ numRuns });
